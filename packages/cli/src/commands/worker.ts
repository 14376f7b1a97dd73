import { ExitCodes, type Io } from '../io.ts';

export interface WorkerOptions {
  readonly queue: string;
  readonly queueName: string;
  readonly jobs?: number;
}

/** `replsim worker`: plays runs that others ask for by a queue. It writes no file. */
export async function workerCommand({ queue, queueName, jobs }: WorkerOptions, io: Io): Promise<number> {
  const { addressOf } = await import('../fleet/address.ts');
  const { work } = await import('../fleet/work.ts');
  await work({ address: addressOf(queue), name: queueName, ...(jobs !== undefined && { jobs }) }, io);
  return ExitCodes.ok;
}
