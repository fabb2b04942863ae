//! An entropy coder: symbols by their frequencies in a context, by asymmetric numeral systems
//! (rANS, Duda 2013), which decodes a symbol by one multiplication and two table entries.
//!
//! Coded bytes are a table of frequencies for each context that was used, the last state of the encoder
//! and its words in reverse order. The decoder must end in the state that the encoder began with and use all
//! words, so nearly every change of a byte is noticed.

/// The most symbols of a context.
pub(super) const SYMBOLS: usize = 16;

/// Frequencies of a context sum to this power of two.
const BITS: u32 = 11;
const TOTAL: u16 = 1 << BITS;

/// States are at least this before a symbol is decoded, and below 2^32 times as much.
const LOW: u64 = 1 << 31;

/// Codes what it is given, or returns what was coded: one walk over the data serves both.
pub(super) trait Coder {
    /// A symbol in a context. A decoder ignores `known`; an encoder returns it.
    fn symbol(&mut self, context: usize, known: usize) -> usize;

    /// At most 16 bits that have no pattern.
    fn bits(&mut self, count: u32, known: u32) -> u32;
}

/// Bytes that no encoder has made.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Damaged;

/// Keeps all symbols, because frequencies are known at the end and the last symbol is coded first.
pub(super) struct Encoder {
    counts: Vec<[u32; SYMBOLS]>,
    /// A context and a symbol, or bits: their number from [`RAW`] and their value.
    recorded: Vec<(u16, u16)>,
}

/// The first number that stands for bits instead of a context.
const RAW: u16 = u16::MAX - 16;

impl Encoder {
    /// An encoder with this many contexts.
    pub(super) fn new(contexts: usize) -> Encoder {
        Encoder { counts: vec![[0; SYMBOLS]; contexts], recorded: Vec::new() }
    }

    /// The coded bytes.
    pub(super) fn finish(self) -> Vec<u8> {
        let tables: Vec<[u16; SYMBOLS]> = self.counts.iter().map(frequencies).collect();
        let ranges: Vec<Ranges> = tables.iter().map(Ranges::new).collect();
        let used: Vec<_> =
            (0..).zip(&tables).filter(|(_, table)| **table != [0; SYMBOLS]).collect();
        let mut numbers = vec![used.len() as u16];
        for (context, table) in used {
            let symbols = (0..SYMBOLS).filter(|&symbol| table[symbol] > 0);
            numbers.extend([context, symbols.clone().fold(0, |mask, symbol| mask | 1 << symbol)]);
            numbers.extend(symbols.map(|symbol| table[symbol]));
            // The last frequency is what is left of the total.
            numbers.pop();
        }
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let (mut state, mut words) = (LOW, Vec::new());
        let mut push = |bits: u32, start: u64, frequency: u64| {
            if state >= ((frequency * LOW) >> bits) << 32 {
                words.push(state as u32);
                state >>= 32;
            }
            state = ((state / frequency) << bits) + state % frequency + start;
        };
        for &(context, symbol) in self.recorded.iter().rev() {
            if context >= RAW {
                push(u32::from(context - RAW), u64::from(symbol), 1);
            } else {
                let (start, frequency) = ranges[usize::from(context)].0[usize::from(symbol)];
                push(BITS, start.into(), frequency.into());
            }
        }
        bytes.extend(state.to_le_bytes());
        bytes.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
        bytes
    }
}

impl Coder for Encoder {
    fn symbol(&mut self, context: usize, known: usize) -> usize {
        self.counts[context][known] += 1;
        self.recorded.push((context as u16, known as u16));
        known
    }

    fn bits(&mut self, count: u32, known: u32) -> u32 {
        self.recorded.push((RAW + count as u16, known as u16));
        known
    }
}

/// Frequencies in proportion to counts: at least 1 where a count is, and [`TOTAL`] together unless
/// all counts are zero.
fn frequencies(counts: &[u32; SYMBOLS]) -> [u16; SYMBOLS] {
    let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let in_proportion = |count: u32| match count {
        0 => 0,
        count => (u64::from(count) * u64::from(TOTAL) / sum).max(1) as u16,
    };
    let mut frequencies = counts.map(in_proportion);
    // Rounding leaves a few over, or takes a few too many: the largest one makes up for it.
    if sum > 0
        && let Some(largest) = (0..SYMBOLS).max_by_key(|&symbol| counts[symbol])
    {
        let others = frequencies.iter().sum::<u16>() - frequencies[largest];
        frequencies[largest] = TOTAL - others;
    }
    frequencies
}

/// The start and the frequency of each symbol.
#[derive(Clone, Default)]
struct Ranges([(u16, u16); SYMBOLS]);

impl Ranges {
    fn new(frequencies: &[u16; SYMBOLS]) -> Ranges {
        let mut start = 0;
        Ranges(frequencies.map(|frequency| {
            let range = (start, frequency);
            start += frequency;
            range
        }))
    }
}

/// The symbol at each of the [`TOTAL`] positions of a context, and their ranges; all zero for a
/// context that was never used.
#[derive(Clone)]
struct Context {
    symbols: [u8; TOTAL as usize],
    ranges: Ranges,
}

/// Reads symbols back in their order.
pub(super) struct Decoder<'a> {
    contexts: Vec<Context>,
    state: u64,
    words: std::slice::Iter<'a, [u8; 4]>,
    /// Whether there were too few words.
    ended: bool,
}

impl<'a> Decoder<'a> {
    /// Reads the tables of this many contexts.
    pub(super) fn new(bytes: &'a [u8], contexts: usize) -> Result<Decoder<'a>, Damaged> {
        let unused = Context { symbols: [0; TOTAL as usize], ranges: Ranges::default() };
        let (mut rest, mut contexts) = (bytes, vec![unused; contexts]);
        for _ in 0..read_number(&mut rest)? {
            let context = read_number(&mut rest)?;
            let context = contexts.get_mut(usize::from(context)).ok_or(Damaged)?;
            read_table(&mut rest, context)?;
        }
        let (state, words) = rest.split_first_chunk().ok_or(Damaged)?;
        let (words, []) = words.as_chunks() else { return Err(Damaged) };
        let state = u64::from_le_bytes(*state);
        Ok(Decoder { contexts, state, words: words.iter(), ended: false })
    }

    /// Whether what was decoded is all that was coded.
    pub(super) fn finish(mut self) -> Result<(), Damaged> {
        let whole = self.state == LOW && !self.ended && self.words.next().is_none();
        if whole { Ok(()) } else { Err(Damaged) }
    }

    #[inline]
    fn refill(&mut self) {
        if self.state < LOW {
            let word = self.words.next();
            self.ended |= word.is_none();
            let word = u32::from_le_bytes(word.copied().unwrap_or_default());
            self.state = self.state << 32 | u64::from(word);
        }
    }
}

impl Coder for Decoder<'_> {
    #[inline]
    fn symbol(&mut self, context: usize, _: usize) -> usize {
        let Context { symbols, ranges } = &self.contexts[context];
        let position = self.state % u64::from(TOTAL);
        let symbol = usize::from(symbols[position as usize]) % SYMBOLS;
        let (start, frequency) = ranges.0[symbol];
        self.state = u64::from(frequency) * (self.state >> BITS) + position - u64::from(start);
        self.refill();
        symbol
    }

    #[inline]
    fn bits(&mut self, count: u32, _: u32) -> u32 {
        let bits = self.state & ((1 << count) - 1);
        self.state >>= count;
        self.refill();
        bits as u32
    }
}

fn read_number(bytes: &mut &[u8]) -> Result<u16, Damaged> {
    let (number, rest) = bytes.split_first_chunk().ok_or(Damaged)?;
    *bytes = rest;
    Ok(u16::from_le_bytes(*number))
}

/// Reads the frequencies of a context, all of which are above zero.
fn read_table(bytes: &mut &[u8], context: &mut Context) -> Result<(), Damaged> {
    let mask = read_number(bytes)?;
    let (mut frequencies, mut start) = ([0; SYMBOLS], 0);
    for symbol in (0..SYMBOLS).filter(|symbol| mask >> symbol & 1 == 1) {
        let is_last = mask >> symbol == 1;
        let frequency = if is_last { TOTAL - start } else { read_number(bytes)? };
        let end = start.checked_add(frequency).filter(|&end| start < end).ok_or(Damaged)?;
        let range = context.symbols.get_mut(usize::from(start)..usize::from(end));
        range.ok_or(Damaged)?.fill(symbol as u8);
        (frequencies[symbol], start) = (frequency, end);
    }
    context.ranges = Ranges::new(&frequencies);
    Ok(())
}
