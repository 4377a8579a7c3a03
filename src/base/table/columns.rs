//! Columns by their names. Programs that write lists of links and of messages do not agree on them, so one
//! table has the words for each meaning.

use super::Row;
use super::cell::short;

/// Where a link or a message begins.
pub const FROM: &[&str] = &["from", "source", "src", "sender", "origin", "u", "node1"];

/// Where it ends.
pub const TO: &[&str] = &["to", "target", "destination", "dst", "dest", "receiver", "v", "node2"];

/// The length of a message.
pub const LENGTH: &[&str] = &["bytes", "size", "length", "len", "nbytes", "messagesize", "volume"];

/// How many there are.
pub const COUNT: &[&str] = &["count", "links", "cables", "messages", "number"];

/// The place of each column in a row of names, if its name is there; letters of any size, with or without
/// blanks, `_` and `-`.
///
/// # Errors
/// Two names of one column.
pub fn named<const N: usize>(row: &Row, names: [&[&str]; N]) -> Result<[Option<usize>; N], String> {
    let mut places = [None; N];
    for (i, cell) in row.cells.iter().enumerate() {
        let word: String =
            cell.chars().filter(|c| !" _-".contains(*c)).collect::<String>().to_lowercase();
        let column = names.iter().position(|names| names.contains(&word.as_str()));
        if let Some(column) = column
            && places[column].replace(i).is_some()
        {
            return Err(format!("a second column '{}'", short(cell)));
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_known_by_any_of_their_names() {
        let row =
            |names: &'static str| Row { at: 0, cells: names.split(',').map(Into::into).collect() };
        let found = |names| super::named(&row(names), [FROM, TO, LENGTH, COUNT]);
        assert_eq!(found("src,dst,bytes"), Ok([Some(0), Some(1), Some(2), None]));
        assert_eq!(found("Message Size,x,RECEIVER,Node_1"), Ok([Some(3), Some(2), Some(0), None]));
        assert_eq!(found("a,b"), Ok([None; 4]));
        assert!(found("from,src,to").is_err_and(|why| why.contains("'src'")));
    }
}
