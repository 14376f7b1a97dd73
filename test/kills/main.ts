import { parseArgs } from 'node:util';
import { PLACES } from './places.ts';
import { Victim } from './victim.ts';

// `replsim serve --dbpath`, killed again and again while clients write, by SIGKILL and by power failures: what was acknowledged must be there when it
// is started the next time. npm run kills -- --kills N --seed K. No virtual time here: the processes, the disk and the kills are real.

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '56' }, seed: { type: 'string', default: '1' } },
});
const [KILLS, FIRST_SEED] = [Number(values.kills), Number(values.seed)];
/** At least this share of the kills meets each place. */
const LEAST_SHARE = 1 / (2 * PLACES.length);
/** On average over all kills, those before anybody is served too. */
const LEAST_WRITES = 50;

/** Two at a time, as there are that many cores. */
const victims = [new Victim(FIRST_SEED), new Victim(FIRST_SEED + 1)];
const broken = (await Promise.all(victims.map((victim) => victim.live(Math.ceil(KILLS / victims.length))))).flat();
const kills = victims.flatMap((victim) => victim.kills);
const acknowledged = victims.reduce((sum, { ledger }) => sum + ledger.acknowledged, 0);

const say = (text: string) => process.stdout.write(`${text}\n`);
const missed: string[] = [];
say('killed amid   kills  power failures  bytes cut');
for (const place of PLACES) {
  const here = kills.filter((kill) => kill.place === place);
  const cuts = here.flatMap(({ cutBytes }) => cutBytes ?? []);
  const columns = [String(here.length).padStart(5), String(cuts.length).padStart(14)];
  say(`${place.padEnd(12)}  ${columns.join('  ')}  ${String(cuts.reduce((sum, each) => sum + each, 0)).padStart(9)}`);
  if (here.length < Math.floor(kills.length * LEAST_SHARE)) missed.push(`only ${here.length} kills met ${place}`);
}
say(`${kills.length} kills, ${acknowledged} acknowledged writes, ${broken.length} broken promises`);
if (acknowledged < LEAST_WRITES * kills.length) missed.push(`fewer than ${LEAST_WRITES} acknowledged writes a kill`);
for (const each of [...missed, ...broken.slice(0, 20)]) say(each);
if (missed.length + broken.length > 0) process.exitCode = 1;
