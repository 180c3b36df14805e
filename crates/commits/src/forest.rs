//! Small boosted trees: numbers in, a chance out. It owns how they are evaluated and written down; they are grown
//! offline by `cargo xtask eval learn`.

use serde::{Deserialize, Serialize};

/// A sum of trees, read as log odds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Forest {
    pub bias: f32,
    pub trees: Vec<Tree>,
}

/// A tree that asks the same question at all places of one depth, so that its answers are one bit each of the leaf.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// Which number is asked about at each depth.
    pub features: Vec<u16>,
    /// The answer is yes above it.
    pub thresholds: Vec<f32>,
    /// Two to the depth.
    pub leaves: Vec<f32>,
}

impl Forest {
    pub fn chance(&self, numbers: &[f32]) -> f32 {
        1.0 / (1.0 + (-self.log_odds(numbers)).exp())
    }

    pub fn log_odds(&self, numbers: &[f32]) -> f32 {
        self.bias + self.trees.iter().map(|tree| tree.value(numbers)).sum::<f32>()
    }
}

impl Tree {
    pub fn value(&self, numbers: &[f32]) -> f32 {
        let questions = self.features.iter().zip(&self.thresholds);
        let leaf = questions.fold(0, |leaf, (feature, threshold)| {
            let number = numbers.get(usize::from(*feature)).copied().unwrap_or_default();
            leaf * 2 + usize::from(number > *threshold)
        });
        self.leaves.get(leaf).copied().unwrap_or_default()
    }
}
