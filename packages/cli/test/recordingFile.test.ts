import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServedSet } from '@replsim/server';
import { afterAll, afterEach, expect, test } from 'vitest';
import { RecordingFile } from '../src/recordingFile.ts';

const folder = mkdtempSync(join(tmpdir(), 'replsim-recording-'));
afterAll(() => rmSync(folder, { recursive: true }));

let served: ServedSet;
afterEach(() => served.stop());

test('a set that no scenario can describe leaves no file', async () => {
  // The spare is listed before a member of the first config.
  served = await ServedSet.open({ members: [{ name: 'a' }, { name: 'b', spare: true }, { name: 'c' }], speed: 0 });
  const path = join(folder, 'run.yaml');
  expect(() => new RecordingFile(served, path, 'by a test', 'nothing')).toThrow(RangeError);
  expect(existsSync(path)).toBe(false);
});
