import { type Reply, viewDefinition, viewRecord } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import { StoredDocument } from '@replsim/storage';
import type { CommandContext } from '../definition.ts';
import { encodeView, parseViewDefinition } from './createView.ts';
import { checkViewGraph } from './viewGraph.ts';

const ofViews = ['viewOn', 'pipeline'];
// biome-ignore format: a list
const ofCollections = ['index', 'expireAfterSeconds', 'validator', 'validationLevel', 'validationAction',
  'changeStreamPreAndPostImages', 'cappedSize', 'cappedMax', 'timeseries'];

/**
 * Gives a view another definition: an update of its document in `system.views`. Errors: InvalidOptions 72 for an option that
 * views do not have, or for one of `viewOn` and `pipeline` alone, and those of `create`. Upstream: coll_mod.cpp, _collModInternal.
 */
export function changeView(context: CommandContext): Reply {
  const { args, data, writes } = context;
  const { ns } = args;
  for (const name of ofCollections) {
    if (args.has(name)) throw new CommandError('InvalidOptions', `a view has no option '${name}'`);
  }
  const given = ofViews.filter((name) => args.has(name));
  if (given.length === 0) return {};
  if (given.length === 1) {
    throw new CommandError('InvalidOptions', "a view is changed by 'viewOn' and 'pipeline' together");
  }
  // A view keeps its collation.
  const { collation } = viewDefinition(data, ns)!;
  const definition = { ...parseViewDefinition(context), collation };
  checkViewGraph(data, ns, definition);
  const { views, recordId } = viewRecord(data, ns)!;
  writes.update(views, recordId, new StoredDocument(encodeView(ns, definition)), undefined);
  return {};
}

/** Throws InvalidOptions 72 for what only views have. */
export function checkNoViewOptions({ args }: CommandContext): void {
  for (const name of ofViews) {
    if (args.has(name)) throw new CommandError('InvalidOptions', `'${name}' is for views alone`);
  }
}
