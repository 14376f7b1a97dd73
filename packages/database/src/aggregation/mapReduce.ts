import { CommandError } from '@replsim/protocol';
import type { CommandDefinition } from '../definition.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';

/** Its functions are JavaScript of the client's, which is not run here. Error: CommandNotSupported 115. Upstream: map_reduce_command.cpp. */
export const mapReduce: CommandDefinition = {
  name: 'mapReduce',
  aliases: ['mapreduce'],
  help: 'runs functions over a collection, which is not supported here',
  // Whatever it asks for, it is not run.
  auth: { action: 'find', resource: 'collection' },
  api: 'none',
  ...ANYWHERE,
  ownWriteConcern: true,
  run: atOnce(() => {
    throw new CommandError(
      'CommandNotSupported',
      'mapReduce runs JavaScript, which replsim does not: use an aggregation with $group',
    );
  }),
};
