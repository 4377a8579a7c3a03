//! A line that is read from left to right.

/// The rest of a line.
#[derive(Clone, Copy)]
pub struct Scan<'t>(pub &'t str);

impl<'t> Scan<'t> {
    /// Skips blanks.
    pub fn blanks(&mut self) -> &mut Self {
        self.0 = self.0.trim_start();
        self
    }

    /// Takes a text if it is next.
    pub fn take(&mut self, text: &str) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Takes characters up to the first that does not belong.
    pub fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let end = self.0.find(|c| !belongs(c)).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        word
    }

    /// Takes a whole number.
    pub fn number(&mut self) -> Option<u32> {
        self.word(|c| c.is_ascii_digit()).parse().ok()
    }

    /// Takes a text between double quotes.
    pub fn quoted(&mut self) -> Option<&'t str> {
        let (text, rest) = self.0.strip_prefix('"')?.split_once('"')?;
        self.0 = rest;
        Some(text)
    }

    /// Takes a number between brackets: `[7]`.
    pub fn bracketed(&mut self) -> Option<u32> {
        let mut rest = *self;
        let number = if rest.take("[") { rest.number() } else { None };
        let number = number.filter(|_| rest.take("]"));
        *self = if number.is_some() { rest } else { *self };
        number
    }

    /// Takes a hexadecimal number between parentheses: `(8f10500200b51)`, with or without `0x`.
    pub fn guid(&mut self) -> Option<u64> {
        let (text, rest) = self.0.strip_prefix('(')?.split_once(')')?;
        let guid = hex(text)?;
        self.0 = rest;
        Some(guid)
    }

    /// Takes a number after a word: `lid 7`.
    pub fn after(&mut self, word: &str) -> Option<u32> {
        let mut rest = *self;
        let number = if rest.blanks().take(word) { rest.blanks().number() } else { None };
        *self = if number.is_some() { rest } else { *self };
        number
    }
}

/// A hexadecimal number, with or without `0x`.
pub fn hex(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text);
    let all = digits.bytes().all(|b| b.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| all)
}
