import { Checkers } from '@replsim/checker';
import { DEFAULT_COSTS } from '@replsim/protocol';
import { ReplSet, type ReplSetOptions } from '@replsim/replset';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

/** A hundred documents, a build of one second. */
export const DOCUMENTS = 100;
export const COSTS = { ...DEFAULT_COSTS, indexBuildMicrosPerDocument: 10_000 };
const MEMBERS = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];
export const A_1 = { key: { a: 1 }, name: 'a_1' };

/** A set whose `app.c` has documents, and what a test asks of its index builds. */
export class BuildingSet extends AskedSet {
  static async with(options: Partial<ReplSetOptions> = {}): Promise<BuildingSet> {
    const set = await ReplSet.create({ seed: 5, members: MEMBERS, costs: COSTS, ...options });
    const checkers = new Checkers();
    set.onTrace((event) => {
      const violation = checkers.observe(event);
      if (violation) throw new Error(`${violation.name}: ${violation.detail}`);
    });
    const asked = new BuildingSet(set);
    await asked.until(() => asked.primaryIfAny() === 'n1');
    const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({ _id: i, a: i, b: i }));
    await asked.ok('n1', { insert: 'c', documents, writeConcern: { w: set.memberNames.length } });
    return asked;
  }

  /** Begins to build, and goes on. */
  build(spec: Doc = A_1, more: Doc = {}, member = 'n1') {
    return this.send(member, { createIndexes: 'c', indexes: [spec], ...more });
  }

  /** The build's operation on a member, as `currentOp` shows it. */
  operation(member: string): Doc | undefined {
    const { inprog } = this.now(member, { currentOp: 1 });
    return (inprog as Doc[]).find(({ desc }) => desc.startsWith('IndexBuildsCoordinatorMongod'));
  }

  indexes(member: string, more: Doc = {}): Doc[] {
    const read = { $readPreference: { mode: 'nearest' } };
    return this.now(member, { listIndexes: 'c', ...more, ...read }, 'app').cursor?.firstBatch ?? [];
  }

  /** The names of those that are ready. */
  ready(member: string): string[] {
    return this.indexes(member, { includeBuildUUIDs: true })
      .filter(({ buildUUID }) => buildUUID === undefined)
      .map(({ spec }) => spec.name);
  }

  /** What a member's oplog says of index builds, oldest first. */
  entries(member: string): string[] {
    const filter = { op: 'c', 'o.indexBuildUUID': { $exists: true } };
    const { cursor } = this.now(member, { find: 'oplog.rs', filter, $readPreference: { mode: 'nearest' } }, 'local');
    return (cursor.firstBatch as Doc[]).map(({ o }) => Object.keys(o)[0]!);
  }

  async hang(member: string, name = 'hangAfterStartingIndexBuild'): Promise<void> {
    await this.ok(member, { configureFailPoint: name, mode: 'alwaysOn' }, 'admin');
  }

  async release(member: string, name = 'hangAfterStartingIndexBuild'): Promise<void> {
    await this.ok(member, { configureFailPoint: name, mode: 'off' }, 'admin');
  }

  async everywhere(holds: (member: string) => boolean): Promise<void> {
    await this.until(() => this.set.memberNames.every((name) => this.set.status(name).running && holds(name)));
  }
}
