//! CSV files of links: `from,to[,capacity][,count]`, with commas, semicolons or tabs. A first line with
//! names of columns (`columns`) may order them in any way; columns of other names are left out. A table
//! of cables has a port for each end: then a cable is one link, whether one end lists it or both.

use super::Source;
use super::columns::{self, Columns};
use super::delays;
use super::edges;
use super::gate;
use super::lines::full;
use super::list::List;
use super::mistake::{Wrong, wrong};
use super::plain::{Plain, Way};
use crate::{MAX_CAPACITY, Network};
use ccsched_base::Result;
use ccsched_base::table::{self, Row, Sign, Table};
use std::borrow::Cow;
use std::collections::HashSet;

/// Whether the first line has two fields or more.
pub fn recognises(text: &str) -> bool {
    let Some(first) = full(text, &['#', '%']).next() else { return false };
    let begins = !first.starts_with(['{', '[', '<', '(']);
    // A grid of Graph Golf: `0,0 1,0`.
    let is_pair = |word: &str| {
        word.split_once(',')
            .is_some_and(|(x, y)| x.parse::<u64>().is_ok() && y.parse::<u64>().is_ok())
    };
    let grid = first.split_whitespace().count() >= 2 && first.split_whitespace().all(is_pair);
    // A comment before an edge list may begin with a semicolon.
    let is_comment = first.starts_with(';')
        && edges::rows(text).next().is_some_and(|row| !row.contains([',', ';', '\t']));
    let is_table = Table::new(text).sign() != Sign::Blanks && !is_comment;
    let sets_sign = first.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("sep="));
    begins && !grid && !first.ends_with('}') && (sets_sign || !first.contains('=')) && is_table
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

/// What has been read.
struct Read<'s, 't> {
    source: &'s Source<'t>,
    list: List<'t>,
    graph: Plain<'t>,
    columns: Columns,
    /// The cables so far: the device and the port of each end.
    cables: HashSet<[(Cow<'t, str>, Cow<'t, str>); 2]>,
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let mut table = Table::new(source.text);
    let mut read = Read {
        source,
        list: List::default(),
        graph: Plain::default(),
        columns: Columns::PLAIN,
        cables: HashSet::new(),
    };
    let mut is_first = true;
    let mut record = Row::default();
    while table.next(&mut record).map_err(|(at, why)| Wrong { at, why })? {
        let is_names =
            !record.is_empty() && std::mem::take(&mut is_first) && read.names(&record)?;
        if !record.is_empty() && !is_names {
            read.row(&record)?;
        }
    }
    let Read { list, graph, .. } = read;
    gate::graph(list, graph, source)?.build(source.name(), source)
}

impl<'t> Read<'_, 't> {
    /// Whether a first line has the names of columns beyond doubt, which are known then. Two or three
    /// words in the usual order may be a link, too: the gate decides.
    fn names(&mut self, record: &Row<'t>) -> Result<bool, Wrong> {
        let fields: Vec<&str> = record.cells[..record.filled()].iter().map(|c| &**c).collect();
        let Some(columns) = columns::named(&fields, record.at)? else { return Ok(false) };
        let is_open = columns.ends == [0, 1]
            && fields.len() <= 3
            && columns.width.is_none_or(|(place, _)| place == 2)
            && columns.count.or(columns.of_type).is_none()
            && columns.delay.is_none();
        if is_open {
            return Ok(false);
        }
        self.list.key = columns.width.and_then(|(_, key)| key);
        let unused = |(i, name): &(usize, &&str)| !columns.has(*i) && !name.is_empty();
        for (_, name) in fields.iter().enumerate().filter(unused) {
            self.graph.unused("links", record.at, name);
        }
        self.columns = columns;
        Ok(true)
    }

    /// Adds the links of a line.
    fn row(&mut self, record: &Row<'t>) -> Result<(), Wrong> {
        let (columns, at) = (&self.columns, record.at);
        let field = |place: usize| record.cells.get(place).filter(|cell| !cell.is_empty()).cloned();
        match columns.of_type.and_then(field).map(|word| word.to_lowercase()).as_deref() {
            Some("directed") => self.graph.says_directed(at, || "Type=Directed".into()),
            None | Some("undirected") => (),
            Some(_) => self.graph.unused("links", at, "type"),
        }
        // Without a line of names nothing says what further fields are.
        if *columns == Columns::PLAIN && record.filled() > 3 {
            self.graph.unused("links", at, "the 4th field of a line");
        }
        let (Some(from), Some(to)) = (field(columns.ends[0]), field(columns.ends[1])) else {
            return wrong(at, "a line needs two vertices: from,to");
        };
        if let Some([Some(a), Some(b)]) = columns.ports.map(|ports| ports.map(field)) {
            let mut cable = [(from.clone(), a), (to.clone(), b)];
            cable.sort();
            self.list.way = Way::Both;
            if !self.cables.insert(cable) {
                return Ok(());
            }
        }
        let number = |place: usize| field(place).filter(|cell| !table::is_nothing(cell));
        let count =
            match columns.count.and_then(number).map(|text| table::count(&text, MAX_CAPACITY)) {
                None => 1,
                Some(Ok(count)) => count,
                Some(Err(why)) => return wrong(at, format!("{why}, the number of links")),
            };
        let third = columns.width.and_then(|(place, _)| number(place));
        let delay = match columns.delay.and_then(|(place, key)| Some((key, number(place)?))) {
            None => None,
            Some((key, text)) => delays::delay(key, &text, at, self.source)?,
        };
        self.list.row([from, to], third, (count, delay), at)
    }
}
