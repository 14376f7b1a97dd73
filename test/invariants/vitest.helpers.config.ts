import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** For the files in `helpers`, which are to fail; `doors.test.ts` runs them. */
const config = mergeConfig(base, defineConfig({}));
config.test.include = ['test/invariants/helpers/*.test.ts'];
config.test.exclude = [];
export default config;
