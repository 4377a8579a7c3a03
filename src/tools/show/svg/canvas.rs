//! SVG text, element by element. The writer of the XML library escapes what names contain.

use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};

/// A picture in the making.
pub(in crate::show) struct Canvas {
    writer: Writer<Vec<u8>>,
}

impl Canvas {
    /// An empty picture. Large ones are shown smaller.
    pub fn new(width: f64, height: f64, most: f64, title: &str) -> Self {
        let mut canvas = Canvas { writer: Writer::new(Vec::new()) };
        let factor = (most / width.max(height)).min(1.0);
        canvas.open(
            "svg",
            &[
                ("xmlns", "http://www.w3.org/2000/svg"),
                ("width", &number(width * factor)),
                ("height", &number(height * factor)),
                ("viewBox", &format!("0 0 {} {}", number(width), number(height))),
                ("font-family", "system-ui, 'DejaVu Sans', sans-serif"),
                ("role", "img"),
            ],
        );
        canvas.text("title", &[], title);
        canvas.empty("rect", &[("width", "100%"), ("height", "100%"), ("fill", "#ffffff")]);
        canvas
    }

    /// Begins an element with content.
    pub fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let start = BytesStart::new(name).with_attributes(attributes.iter().copied());
        self.write(Event::Start(start));
    }

    /// Ends it.
    pub fn close(&mut self, name: &str) {
        self.write(Event::End(BytesEnd::new(name)));
        self.write(Event::Text(BytesText::from_escaped("\n")));
    }

    /// An element without content.
    pub fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let start = BytesStart::new(name).with_attributes(attributes.iter().copied());
        self.write(Event::Empty(start));
        self.write(Event::Text(BytesText::from_escaped("\n")));
    }

    /// An element with text.
    pub fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.open(name, attributes);
        let clean: String = text.chars().map(|c| if is_xml(c) { c } else { '\u{fffd}' }).collect();
        self.write(Event::Text(BytesText::new(&clean)));
        self.close(name);
    }

    /// The picture.
    pub fn finish(mut self) -> String {
        self.close("svg");
        String::from_utf8(self.writer.into_inner()).expect("only text was written")
    }

    fn write(&mut self, event: Event<'_>) {
        self.writer.write_event(event).expect("memory takes all bytes");
    }
}

/// Whether XML can hold a character at all.
fn is_xml(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// A number with at most one decimal.
pub(in crate::show) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), String::from)
}
