//! The saved state of a search of a team.

use super::{Team, Teamed};
use crate::search::scatter::changes::{Changes, Log};
use crate::{Resume, policy};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::is_sound;

/// The search, the iterations without a team, the team and the changes that the next exchange undoes,
/// and the searches of members that take turns.
type Saved = (Vec<u8>, u64, Option<(Team, Changes)>, Vec<Vec<u8>>);

impl Resume for Teamed {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        let before = || self.search.log.as_ref().map(|log| log.before.clone()).unwrap_or_default();
        let team = self.team.as_ref().map(|team| (team.clone(), before()));
        let copies = self.copies.iter().map(Resume::save).collect::<Result<_, _>>()?;
        let saved: Saved = (self.search.save()?, self.alone, team, copies);
        codec::encode(&saved)
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let (search, alone, saved, copies): Saved = codec::decode(state)?;
        self.search.load(&search)?;
        self.alone = alone.min(u64::MAX / 2);
        match (&mut self.team, saved) {
            (Some(team), Some((saved, before)))
                if (team.index, team.of, team.is_alone)
                    == (saved.index, saved.of, saved.is_alone) =>
            {
                self.load_team(saved, before)?;
            }
            (None, Some((saved, before))) if saved.is_alone => {
                if !copies.is_empty() && copies.len() != saved.of {
                    return Err(CommError::Unfit("members"));
                }
                self.load_team(saved, before)?;
                self.copies = vec![self.search.clone(); copies.len()];
                let mut both = self.copies.iter_mut().zip(&copies);
                both.try_for_each(|(copy, saved)| copy.load(saved))?;
            }
            // The team is another one, and begins anew.
            (Some(team), _) => {
                self.search.log = None;
                self.search.set_style(team.style());
                self.search.seek_anew(&mut team.rng);
                self.begin_leg();
            }
            (None, Some(_)) => self.search.collect_all_waiting(),
            (None, None) => {}
        }
        Ok(())
    }
}

impl Teamed {
    fn load_team(&mut self, team: Team, before: Changes) -> Result<(), CommError> {
        let transfers = self.search.transfers();
        let is_few = !team.is_alone || team.of <= policy::MOST_MEMBERS;
        if !is_few || !team.is_sound(transfers) || !before.is_sound(&self.search) {
            return Err(CommError::Unfit("transfers"));
        }
        self.search.relocations = team.relocations();
        self.search.log = Some(Log::of(transfers, before));
        self.team = Some(team);
        Ok(())
    }
}

impl Team {
    /// Whether its numbers can be those of a team that searches for this number of transfers.
    fn is_sound(&self, transfers: usize) -> bool {
        self.waiting.iter().all(|&t| (t as usize) < transfers)
            && self.others <= self.waiting.len()
            && is_sound(&self.rng)
            && self.index < self.of
            && (1..=self.of).contains(&self.shares)
            && (1.0..=1e6).contains(&self.moves)
            && [self.leg, self.spent, self.iterations].iter().all(|&count| count < u64::MAX / 2)
    }
}
