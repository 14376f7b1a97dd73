import type { Operation } from '../../operations/operation.ts';
import type { CommandContext, Reply } from '../command.ts';
import { notSupported } from './notSupported.ts';

/** `{ create, viewOn, pipeline }`. */
export function* createView(_context: CommandContext): Operation<Reply> {
  throw notSupported('a view');
}
