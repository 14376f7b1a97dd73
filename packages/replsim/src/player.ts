import { playForParent } from '@replsim/cli';

// What each process of `replsim run --jobs` runs.
playForParent();
