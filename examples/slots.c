/* Runs the slot table of one router, as `ccsched export --to slots -o FOLDER/` writes it: for each
 * slot of the period the input that every output gets. A driver of real hardware would set its
 * crossbar where this program prints.
 *
 *     cc -o slots slots.c && ./slots FOLDER/s0.csv 2
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 16, PORTS = 1024, PERIOD = 1 << 16 };

static char line[LINE], *name[PORTS];
static unsigned short *word[PERIOD];

int main(int count, char **argument) {
    FILE *file = count > 1 ? fopen(argument[1], "r") : NULL;
    if (!file || !fgets(line, LINE, file)) {
        fprintf(stderr, "usage: slots TABLE.csv [PERIODS]\n");
        return 2;
    }
    int ports = 0, period = 0, periods = count > 2 ? atoi(argument[2]) : 1;
    /* The head: "slot", then a name for each output. */
    char *cell = strtok(strdup(line), ",\n");
    while (ports < PORTS && (cell = strtok(NULL, ",\n"))) name[ports++] = cell;
    /* A word a slot: for each output 0, or the number of its input. */
    while (period < PERIOD && fgets(line, LINE, file)) {
        unsigned short *here = word[period++] = calloc(ports + 1, sizeof *here);
        strtok(line, ",\n");
        for (int port = 0; port < ports && (cell = strtok(NULL, ",\n")); port++) here[port] = atoi(cell);
    }
    fclose(file);
    /* The clock: after the last slot of the period the first one follows. */
    for (long slot = 0; slot < (long)period * periods; slot++)
        for (int port = 0; port < ports; port++)
            if (word[slot % period][port])
                printf("slot %ld: output %s gets input %d\n", slot, name[port], word[slot % period][port]);
    return 0;
}
