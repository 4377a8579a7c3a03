//! The model of an island and of the thread that runs it: src/run/islands/island. Every numbered step is
//! one that other threads can come between.

/// Iterations of a leg. With a copy before each but the first there are copies in the middle.
const LEG: u8 = 2;

/// The future of an island depends on this number alone: its walker and its random numbers.
pub type Value = u16;

/// `IslandState`: the value, and the iterations left in the leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub value: Value,
    pub left: u8,
}

/// `FromMaster`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    Seek(u8, Option<Value>),
    CrossOver(Option<Value>),
    GoOn,
    Wait,
    Break,
    Save,
    Load(State, Box<Order>),
    End,
}

/// `Report`. A plan is a number; the less, the better.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Report {
    pub cost: u8,
    pub plan: Option<u8>,
    pub genome: Option<Value>,
    pub is_broken: bool,
}

/// `FromIsland`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Word {
    Report(Report),
    State(Option<(State, Order)>),
    Interrupted,
}

/// What the thread does next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// Waits for the next order: `for orders in orders`.
    Idle,
    /// Looks for a break: `(self.breaks)()`.
    Look,
    /// `copy_now_and_then`, and `walker.iterate`, which nothing else sees.
    Copy,
    /// `snapshot.say`; whether a copy goes with the word.
    Say(Word, bool),
    /// The thread has ended.
    Gone,
}

/// `Thread` with its `Snapshot` and the `Island` that it runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Worker {
    island: State,
    is_broken_island: bool,
    step: Step,
    /// The channel from the thread. That to it needs no place: what the thread makes of an order is seen
    /// when it copies or answers.
    word: Option<Word>,
    early: Option<Word>,
    saves: bool,
    /// `Snapshot::kept` and `Snapshot::is_broken`.
    kept: Option<(State, Order)>,
    is_broken: bool,
    keeps: bool,
}

/// A number that depends on two others, and looks like neither.
pub fn mix(a: Value, b: Value) -> Value {
    (a ^ b.rotate_left(7)).wrapping_mul(0x9E37).wrapping_add(b).rotate_left(5)
}

/// A quarter of all values are complete schedules.
fn cost(value: Value) -> u8 {
    (value % 4) as u8
}

impl Worker {
    pub fn new(rank: usize, salt: Value, keeps: bool) -> Self {
        Worker {
            island: State { value: mix(salt, rank as Value), left: 0 },
            is_broken_island: false,
            step: Step::Idle,
            word: None,
            early: None,
            saves: false,
            kept: None,
            is_broken: false,
            keeps,
        }
    }

    /// `Worker::order`.
    pub fn order(&mut self, order: Order) {
        self.saves = order == Order::Save;
        match (&order, &mut self.kept) {
            (Order::Load(state, then), kept) => *kept = Some((*state, (**then).clone())),
            (Order::Save, _) | (_, None) => {}
            (_, Some((_, next))) => *next = order.clone(),
        }
        if !self.is_broken {
            assert_eq!(self.step, Step::Idle, "an order before the answer to the last one");
            self.step = self.obey(order);
        }
    }

    /// `Worker::wait`, if there is an answer.
    pub fn wait(&mut self) -> Option<Word> {
        if self.early.is_some() {
            return self.early.take();
        }
        if self.is_broken {
            let report = || Word::Report(Report { is_broken: true, ..Report::default() });
            return Some(if self.saves { Word::State(self.kept.take()) } else { report() });
        }
        self.word.take()
    }

    /// `Worker::break_off`.
    pub fn break_off(&mut self) {
        self.early = self.word.take();
        self.is_broken = self.early.is_none();
    }

    /// The next step of the thread, if it has one.
    pub fn step(&self) -> Option<Worker> {
        let mut next = self.clone();
        let is_searching = |island: State| island.left > 0 && cost(island.value) > 0;
        next.step = match &self.step {
            Step::Look if self.is_broken => {
                next.is_broken_island = true;
                Step::Say(Word::Report(Report { is_broken: true, ..Report::default() }), true)
            }
            Step::Look => Step::Copy,
            Step::Copy => {
                if self.keeps && (self.island.left < LEG || self.kept.is_none()) {
                    next.kept = Some((self.island, Order::GoOn));
                }
                next.island.value = mix(self.island.value, 3);
                next.island.left -= 1;
                if is_searching(next.island) { Step::Look } else { next.report() }
            }
            Step::Say(word, copies) if !self.is_broken => {
                if *copies && self.keeps {
                    next.kept = Some((self.island, Order::Wait));
                }
                assert!(self.word.is_none(), "an answer before the last one was taken");
                next.word = Some(word.clone());
                Step::Idle
            }
            Step::Say(..) => Step::Gone,
            Step::Idle | Step::Gone => return None,
        };
        Some(next)
    }

    /// `Island::obey`, up to the first look for a break.
    fn obey(&mut self, mut order: Order) -> Step {
        let moves = order != Order::Save;
        if let Order::Load(state, then) = order {
            self.island = state;
            order = *then;
        }
        let island = &mut self.island;
        match order {
            Order::Save => {
                let next = if self.is_broken_island { Order::GoOn } else { Order::Wait };
                return Step::Say(Word::State(Some((*island, next))), false);
            }
            Order::Load(..) => unreachable!("a state follows an order"),
            Order::Wait | Order::Break | Order::End => {
                return Step::Say(Word::Report(Report::default()), moves);
            }
            Order::GoOn => {}
            Order::Seek(target, genome) => {
                let crossed = genome.map_or(island.value, |genome| mix(island.value, genome));
                *island = State { value: mix(crossed, 100 + Value::from(target)), left: LEG };
            }
            Order::CrossOver(genome) => {
                *island = State { value: mix(island.value, genome.unwrap_or(1)), left: LEG };
            }
        }
        let searches = island.left > 0 && cost(island.value) > 0;
        if searches { Step::Look } else { self.report() }
    }

    /// The report of a whole leg.
    fn report(&self) -> Step {
        let value = self.island.value;
        let is_plan = cost(value) == 0;
        let plan = is_plan.then_some((value / 4 % 64) as u8);
        let report = Report { cost: cost(value), plan, genome: Some(value), is_broken: false };
        Step::Say(Word::Report(report), true)
    }
}
