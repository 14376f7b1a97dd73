import { ReplicaSet } from 'replsim';

const set = await ReplicaSet.start({ members: 1 });
try {
  await set.kill('n4');
} finally {
  await set.stop();
}
