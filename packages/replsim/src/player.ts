import { playForParent } from '@replsim/cli';

// What each thread of `replsim run --jobs` runs.
playForParent();
