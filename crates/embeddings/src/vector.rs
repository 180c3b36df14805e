//! How alike two vectors are.

/// The cosine of the angle between two vectors, from -1 to 1; 0 where they cannot be compared.
#[expect(clippy::cast_possible_truncation, reason = "a number from -1 to 1")]
pub fn cosine(left: &[f32], right: &[f32]) -> f32 {
    if left.len() != right.len() {
        return 0.0;
    }
    let (mut dot, mut one, mut other) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (left, right) in left.iter().zip(right) {
        let (left, right) = (f64::from(*left), f64::from(*right));
        dot += left * right;
        one += left * left;
        other += right * right;
    }
    let lengths = (one * other).sqrt();
    if lengths > 0.0 && lengths.is_finite() { (dot / lengths).clamp(-1.0, 1.0) as f32 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_cannot_be_compared_is_not_alike() {
        assert!(cosine(&[1.0], &[1.0, 0.0]).abs() < f32::EPSILON);
        assert!(cosine(&[0.0, 0.0], &[1.0, 0.0]).abs() < f32::EPSILON);
        assert!(cosine(&[], &[]).abs() < f32::EPSILON);
        assert!((cosine(&[2.0, 0.0], &[3.0, 0.0]) - 1.0).abs() < f32::EPSILON);
        assert!((cosine(&[1.0, 0.0], &[-1.0, 0.0]) + 1.0).abs() < f32::EPSILON);
    }

    proptest! {
        #[test]
        fn it_lies_between_its_bounds_and_has_no_direction(
            pairs in prop::collection::vec((any::<f32>(), any::<f32>()), 0..40)
        ) {
            let (left, right): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let found = cosine(&left, &right);
            prop_assert!((-1.0..=1.0).contains(&found), "{}", found);
            prop_assert!((found - cosine(&right, &left)).abs() < 1e-6);
        }
    }
}
