//! The contract of the store, held against every engine: one suite, the same cases, the same words.
//!
//! A case is a function over a `World`; the table below runs each on SQLite as a test of its own, and all of them on one
//! PostgreSQL server, each in a repository of its own. Time is a value: no case sleeps.

#![allow(unreachable_pub, reason = "a test has no surface")]
#![allow(
    clippy::expect_used,
    clippy::items_after_statements,
    clippy::panic,
    clippy::unwrap_used,
    reason = "its failures are test failures, and names stand where they are read"
)]

mod agents;
mod events;
mod leases;
mod messages;
mod status;
mod sync;
mod tasks;
mod transfer;
mod world;

use becket_testing::postgres::{Cluster, Durability};
use world::World;

macro_rules! contract {
    ($($module:ident :: $case:ident),* $(,)?) => {
        mod sqlite {
            use super::*;
            $(#[test] fn $case() { $module::$case(&World::sqlite()); })*
        }

        #[test]
        fn postgres() {
            let cluster = Cluster::start(Durability::None);
            let cases: &[(&str, fn(&World))] = &[$((stringify!($case), $module::$case)),*];
            let mut failed = Vec::new();
            for (name, case) in cases {
                let world = World::postgres(&cluster.url(), name);
                if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| case(&world))).is_err() {
                    failed.push(*name);
                }
            }
            assert!(failed.is_empty(), "on PostgreSQL these failed: {failed:?}");
        }
    };
}

contract! {
    agents::joining_gives_an_identity_that_others_see,
    agents::what_an_agent_says_of_itself_is_bounded,
    agents::an_unknown_heartbeat_is_an_answer,
    agents::presence_follows_the_clock_and_not_the_wall,
    agents::any_call_is_a_sign_of_life_at_most_once_in_ten_seconds,
    agents::leaving_gives_leases_back,
    agents::the_digest_tells_news_once,
    agents::the_digest_names_a_lease_about_to_end,
    leases::a_task_has_one_holder,
    leases::what_another_client_changed_meanwhile_counts,
    leases::claiming_again_renews,
    leases::the_time_to_live_is_clamped,
    leases::expiry_is_written_once_by_whoever_looks,
    leases::a_jumped_wall_clock_frees_nothing_and_freezes_nothing,
    leases::a_lease_outlives_a_reboot_by_what_was_left,
    leases::a_stale_holder_is_refused_by_generation,
    leases::renew_and_release_are_the_holders,
    leases::a_task_that_is_not_there_is_held_by_nobody,
    leases::only_ready_tasks_with_verified_dependencies_are_claimable,
    leases::claim_next_finds_and_claims,
    leases::locks_warn_or_refuse,
    leases::activity_on_the_task_renews_an_expiring_lease,
    leases::a_key_is_answered_once,
    status::done_and_verify_unblock_dependents,
    status::another_holder_refuses_done_and_verify,
    status::not_claimed_is_allowed_with_a_warning,
    status::moves_follow_the_legal_edges,
    status::another_agent_must_verify_where_the_policy_says_so,
    status::complete_is_both_in_one,
    status::reopening_blocks_dependents_again,
    status::deleting_refuses_or_takes_dependents_along,
    status::every_move_waits_in_the_outbox_until_written,
    tasks::order_is_priority_then_natural,
    tasks::pages_show_every_task_once_under_writes,
    tasks::labels_and_statuses_filter,
    tasks::next_prefers_capabilities_and_says_so,
    tasks::problems_are_reported,
    tasks::a_task_is_shown_whole,
    tasks::an_unknown_task_has_a_nearest_spelling,
    tasks::counts_add_up,
    tasks::totals_are_what_counting_gives,
    tasks::ids_are_reserved_once,
    sync::the_first_reading_is_silent_and_later_ones_tell,
    sync::a_forward_status_is_taken_over,
    sync::an_older_checkout_is_reported_and_rolls_nothing_back,
    sync::a_hand_edit_may_go_back,
    sync::worktrees_have_their_own_definitions_and_one_status,
    sync::dependencies_that_appear_later_count,
    sync::creating_and_updating_mirror_the_file,
    sync::a_definition_that_would_cycle_is_refused,
    messages::direct_broadcast_and_thread,
    messages::unread_is_filtered_before_the_limit,
    messages::marks_are_kept_and_counted,
    messages::texts_come_back_as_they_went_in,
    messages::bounds_are_in_bytes,
    messages::search_takes_its_wildcards_literally,
    messages::search_says_when_there_is_more,
    events::every_change_is_told_once_in_order,
    events::paging_shows_each_once,
    events::a_foreign_cursor_starts_over,
    events::waiting_ends_with_what_concerns_the_agent,
    events::an_agent_is_told_up_to_its_last_call,
    events::a_watch_sees_other_connections,
    transfer::an_export_makes_the_same_store,
    transfer::a_reset_begins_a_new_stream,
    transfer::a_read_only_store_reads_and_refuses,
}
