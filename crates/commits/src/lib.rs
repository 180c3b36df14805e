//! Changes to groups, groups to an ordered plan, a plan to messages and the text of a pull request.
