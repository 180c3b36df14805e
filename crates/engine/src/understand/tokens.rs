//! What text costs. Counts for GPT-4o are exact (`o200k_base`); Claude's tokenizer is not published, so its numbers are an
//! estimate and say so.

/// How numbers for Claude come about, for people.
pub(super) const METHOD: &str = "GPT-4o: exact, o200k_base | Claude: estimate, the o200k_base count times 1.09 (its tokenizer is not published)";

/// An estimate of Claude's count from the exact one for GPT-4o.
pub(super) fn claude(gpt4o: usize) -> usize {
    gpt4o.saturating_mul(109).div_ceil(100)
}
