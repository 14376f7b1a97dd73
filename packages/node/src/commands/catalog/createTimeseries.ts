import type { Operation } from '../../operations/operation.ts';
import type { CommandContext, Reply } from '../command.ts';
import { notSupported } from './notSupported.ts';

/** `{ create, timeseries }`. */
export function* createTimeseries(_context: CommandContext): Operation<Reply> {
  throw notSupported('a time-series collection');
}
