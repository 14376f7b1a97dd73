import { type AnyQuestion, aboutOf } from '@replsim/explore';
import { addressOf, shownAddress } from '../fleet/address.ts';
import { emptied } from '../fleet/ask.ts';
import { Desk } from '../fleet/desk.ts';
import { bullmqConnection, PREFIX, taskQueueName } from '../fleet/queueNames.ts';
import { connected, loadFleet } from '../fleet/redis.ts';
import { ExitCodes, type Io } from '../io.ts';

export type QueueAction = 'status' | 'cancel';

export interface QueueOptions {
  readonly queue: string;
  readonly queueName: string;
  readonly json?: boolean;
}

/** `replsim queue status` shows what a queue is about and how far it is; `cancel` clears it. */
export async function queueCommand(
  action: QueueAction,
  { queue: url, queueName: name, json }: QueueOptions,
  io: Io,
): Promise<number> {
  const address = addressOf(url);
  const fleet = await loadFleet();
  const redis = await connected(address, fleet);
  const queue = new fleet.Queue(taskQueueName(name), { connection: bullmqConnection(address), prefix: PREFIX });
  queue.on('error', () => {});
  const desk = new Desk(redis, name);
  try {
    if (action === 'cancel') {
      await desk.clear();
      await emptied(queue);
      io.out(`the queue "${name}" is empty\n`);
      return ExitCodes.ok;
    }
    const queued = await desk.read();
    const { waiting = 0, active = 0, completed = 0, failed = 0 } = await queue.getJobCounts();
    const counts = { waiting, active, completed, failed };
    const [workers, askers] = [await queue.getWorkersCount(), await desk.askers()];
    if (json)
      io.out(`${JSON.stringify({ version: 1, name, question: queued ?? null, ranges: counts, workers, askers })}\n`);
    else
      io.out(
        statusText(
          `the queue "${name}" at ${shownAddress(address)}`,
          queued && whatIsAsked(queued.question),
          counts,
          workers,
          askers,
        ),
      );
    return ExitCodes.ok;
  } finally {
    await queue.close();
    redis.disconnect();
  }
}

function whatIsAsked(question: AnyQuestion): string {
  return `${question.kind === 'measure' ? 'a measurement' : 'an exploration'} of ${aboutOf(question)}`;
}

function statusText(
  what: string,
  asked: string | undefined,
  { waiting, active, completed, failed }: Readonly<Record<'waiting' | 'active' | 'completed' | 'failed', number>>,
  workers: number,
  askers: number,
): string {
  const lines = [
    `${what}: ${asked ?? 'nobody asks anything'}`,
    `  ${workers} ${workers === 1 ? 'worker' : 'workers'}; ${askers} ${askers === 1 ? 'asker' : 'askers'}`,
    `  ranges: ${waiting} waiting, ${active} under way, ${completed} done and not collected, ${failed} failed`,
  ];
  return `${lines.join('\n')}\n`;
}
