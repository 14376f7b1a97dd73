import { playForParent } from '@replsim/cli';

// The entry point of the worker processes of `replsim run --jobs`.
playForParent();
