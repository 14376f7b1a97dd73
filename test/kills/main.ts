import { askedBy } from './asked.ts';
import { PLACES } from './places.ts';
import { Victim } from './victim.ts';

// `replsim serve --dbpath`, killed again and again while clients write, by SIGKILL and by power failures: what was acknowledged must be there when it
// is started the next time. npm run kills -- --kills N --seed K --jobs N. No virtual time here: the processes, the disk and the kills are real.

const asked = askedBy(process.argv.slice(2));
if (typeof asked === 'string') {
  process.stderr.write(`${asked}\n`);
  process.exit(2);
}
const { kills: KILLS, seed: FIRST_SEED, jobs: JOBS } = asked;
/** Each is killed again and again. Their number does not follow from that of the jobs, so that the same seed does the same on every machine. */
const SETS = 4;
/** At least this share of the kills meets each place. */
const LEAST_SHARE = 1 / (2 * PLACES.length);
/** With fewer, chance may have left manifests and tables alone. */
const ENOUGH_KILLS = 28;
/** On average over all kills, those before anybody is served too. */
const LEAST_WRITES = 50;

const begunMs = performance.now();
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const victims = Array.from({ length: SETS }, (_, index) => new Victim(FIRST_SEED + index, index));
/** What does not hold, by set. */
const brokenOf: string[][] = victims.map(() => []);

/** Takes the next set until there is none. A set waits half of the time: for the disk, a primary, the instant of the kill. */
const waiting = victims.entries();
async function work(): Promise<void> {
  for (const [index, victim] of waiting) {
    const share = Math.floor((KILLS + index) / SETS);
    brokenOf[index] = (await victim.live(share)).map((each) => `seed ${FIRST_SEED + index}: ${each}`);
  }
}
await Promise.all(Array.from({ length: JOBS }, work));
const broken = brokenOf.flat();
const kills = victims.flatMap((victim) => victim.kills);
const acknowledged = victims.reduce((sum, { ledger }) => sum + ledger.acknowledged, 0);

const say = (text: string) => process.stdout.write(`${text}\n`);
const missed: string[] = [];
say('killed amid   kills  power failures  bytes cut  manifests and tables cut');
for (const place of PLACES) {
  const here = kills.filter((kill) => kill.place === place);
  const cuts = here.flatMap(({ cut }) => cut ?? []);
  const [bytes, files] = [sum(cuts.map((cut) => cut.bytes)), sum(cuts.map((cut) => cut.files))];
  const columns = [String(here.length).padStart(5), String(cuts.length).padStart(14), String(bytes).padStart(9)];
  say(`${place.padEnd(12)}  ${columns.join('  ')}  ${String(files).padStart(24)}`);
  if (here.length < Math.floor(kills.length * LEAST_SHARE)) missed.push(`only ${here.length} kills met ${place}`);
}
const secs = (performance.now() - begunMs) / 1000;
say(`${kills.length} kills, ${acknowledged} acknowledged writes, ${broken.length} broken promises`);
say(`${secs.toFixed(0)} s, ${(secs / kills.length).toFixed(1)} s a kill`);
if (broken.length === 0 && kills.length < KILLS) missed.push(`${KILLS} kills were asked for`);
if (kills.length >= ENOUGH_KILLS && sum(kills.map(({ cut }) => cut?.files ?? 0)) === 0)
  missed.push('no power failure cut a manifest or a table');
if (acknowledged < LEAST_WRITES * kills.length) missed.push(`fewer than ${LEAST_WRITES} acknowledged writes a kill`);
for (const each of [...missed, ...broken.slice(0, 20)]) say(each);
if (missed.length + broken.length > 0) process.exitCode = 1;
