//! Finite fields of any prime power order q = p^k, by tables of logarithms. Slim flies and the
//! schedules of dragonflies are built from them.
//!
//! An element is a number below q whose digits in base p are the coefficients of a polynomial, so
//! addition is digit by digit, and the numbers below any power of p are a subgroup of it.

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    order: usize,
    prime: usize,
    /// The powers of a primitive element, and the exponent of every element but 0.
    power: Vec<usize>,
    exponent: Vec<usize>,
}

impl Field {
    /// The field with `order` elements; none if `order` is no prime power.
    pub fn new(order: usize) -> Option<Field> {
        let prime = (2..=order).find(|p| order.is_multiple_of(*p))?;
        let mut rest = order;
        while rest.is_multiple_of(prime) {
            rest /= prime;
        }
        if rest > 1 {
            return None;
        }
        // Try every value of x^k, the first power that needs reduction, until x is primitive.
        (1..order).find_map(|reduced| Field::reduced_by(order, prime, reduced))
    }

    /// The field in which x^k equals `reduced`, if all its elements but 0 are powers of x.
    fn reduced_by(order: usize, prime: usize, reduced: usize) -> Option<Field> {
        let mut field = Field { order, prime, power: vec![1], exponent: vec![0; order] };
        let top = order / prime;
        while field.power.len() < order - 1 {
            let last = field.power[field.power.len() - 1];
            let mut next = last % top * prime;
            (0..last / top).for_each(|_| next = field.add(next, reduced));
            if next <= 1 {
                return None;
            }
            field.exponent[next] = field.power.len();
            field.power.push(next);
        }
        let mut seen = field.power.clone();
        seen.sort_unstable();
        seen.dedup();
        (seen.len() == order - 1).then_some(field)
    }

    /// Sum of two elements.
    pub fn add(&self, a: usize, b: usize) -> usize {
        self.by_digit(a, b, |x, y| (x + y) % self.prime)
    }

    /// Difference of two elements.
    pub fn sub(&self, a: usize, b: usize) -> usize {
        self.by_digit(a, b, |x, y| (x + self.prime - y) % self.prime)
    }

    /// Product of two elements.
    pub fn mul(&self, a: usize, b: usize) -> usize {
        if a == 0 || b == 0 {
            return 0;
        }
        self.power(self.exponent[a] + self.exponent[b])
    }

    /// A power of the primitive element.
    pub fn power(&self, exponent: usize) -> usize {
        self.power[exponent % self.power.len()]
    }

    fn by_digit(&self, mut a: usize, mut b: usize, f: impl Fn(usize, usize) -> usize) -> usize {
        let (mut sum, mut unit) = (0, 1);
        while unit < self.order {
            sum += unit * f(a % self.prime, b % self.prime);
            (a, b, unit) = (a / self.prime, b / self.prime, unit * self.prime);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_distribute_and_have_inverses() {
        for q in [2, 3, 4, 5, 8, 9, 13, 16, 25, 27, 32] {
            let f = Field::new(q).unwrap();
            for a in 0..q {
                assert_eq!((f.add(a, 0), f.mul(a, 1), f.sub(a, a)), (a, a, 0));
                assert_eq!((0..q).filter(|&b| f.mul(a, b) == 1).count(), usize::from(a > 0));
                for b in 0..q {
                    assert_eq!(f.sub(f.add(a, b), b), a);
                    assert_eq!(f.mul(a, b), f.mul(b, a));
                    let c = (a + 2 * b + 1) % q;
                    assert_eq!(f.mul(c, f.add(a, b)), f.add(f.mul(c, a), f.mul(c, b)), "GF({q})");
                    assert_eq!(f.mul(c, f.mul(a, b)), f.mul(f.mul(c, a), b), "GF({q})");
                }
            }
        }
    }

    #[test]
    fn only_prime_powers_have_fields() {
        for q in [0, 1, 6, 10, 12, 15, 36, 100] {
            assert!(Field::new(q).is_none(), "{q}");
        }
    }
}
