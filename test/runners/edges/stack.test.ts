import { replicaSetPerFile } from 'replsim/vitest';
import { test } from 'vitest';

const set = replicaSetPerFile({ members: 1 });

test('a mistake', async () => {
  await set.kill('n4');
});
