//! What a network was before its faults: a construction for the whole network often needs few
//! changes around them.

use super::{ChannelId, Network};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The network before all faults.
#[derive(Debug, Serialize, Deserialize)]
pub struct Unbroken {
    network: Network,
    /// By channel of that network, the channel that is left of it.
    channels: Vec<Option<ChannelId>>,
}

impl Unbroken {
    /// The network before all faults.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// What is left of one of its channels.
    pub fn left_of(&self, channel: ChannelId) -> Option<ChannelId> {
        self.channels[channel as usize]
    }
}

/// What a network remembers of the time before its faults. It is no part of what the network is: two
/// networks of the same vertices and channels are equal.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Past(Option<Arc<Unbroken>>);

impl PartialEq for Past {
    fn eq(&self, _: &Past) -> bool {
        true
    }
}

impl Network {
    /// The network before its faults, if they are known.
    pub fn unbroken(&self) -> Option<&Unbroken> {
        self.past.0.as_deref()
    }

    /// The same network, which is what faults have left of another one. By channel of that one, `left`
    /// is the channel here.
    pub(super) fn broken_from(self, before: &Network, left: Vec<Option<ChannelId>>) -> Network {
        let past = match before.unbroken() {
            Some(Unbroken { network, channels }) => {
                let later = |c: &Option<ChannelId>| c.and_then(|c| left[c as usize]);
                let channels = channels.iter().map(later).collect();
                Unbroken { network: network.clone(), channels }
            }
            None => Unbroken { network: before.clone(), channels: left },
        };
        Network { past: Past(Some(Arc::new(past))), ..self }
    }
}

#[cfg(test)]
mod tests {
    use crate::{faults, spec};

    #[test]
    fn channels_are_followed_through_faults_after_faults() {
        let whole = spec::parse("ring:5").unwrap();
        assert!(whole.unbroken().is_none());
        let first = faults::apply(&whole, &[0, 1], &[]).unwrap();
        let second = faults::apply(&first, &[], &[3]).unwrap();
        for rest in [&first, &second] {
            let unbroken = rest.unbroken().unwrap();
            assert_eq!(unbroken.network(), &whole);
            let mut left = 0;
            for (id, c) in (0..).zip(whole.channels()) {
                let names = [c.from, c.to].map(|v| whole.vertex_name(v));
                match unbroken.left_of(id) {
                    Some(there) => {
                        let c = rest.channel(there);
                        assert_eq!([c.from, c.to].map(|v| rest.vertex_name(v)), names);
                        left += 1;
                    }
                    None => assert!(id < 2 || names.contains(&"3")),
                }
            }
            assert_eq!(left, rest.channels().len());
        }
        assert!(second.full_duplex().unbroken().is_none());
    }
}
