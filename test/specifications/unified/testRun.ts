import {
  AbstractCursor,
  ChangeStream,
  ClientSession,
  Collection,
  Db,
  type Document,
  GridFSBucket,
  MongoClient,
} from 'mongodb';
import { Entities, withReadPreference } from './entities.ts';
import { matchError, noError } from './errors.ts';
import type { CollectionData, OperationEntry, SpecificationFile, SpecificationTest } from './format.ts';
import { match } from './match.ts';
import { BUCKET } from './operations/bucket.ts';
import { CLIENT } from './operations/client.ts';
import { COLLECTION } from './operations/collection.ts';
import { CURSOR } from './operations/cursor.ts';
import { DATABASE } from './operations/database.ts';
import type { Operations } from './operations/operation.ts';
import { SESSION } from './operations/session.ts';
import { TEST_RUNNER } from './operations/testRunner.ts';
import { Failure, Skipped } from './verdicts.ts';

const MAJORITY = { writeConcern: { w: 'majority' } } as const;

/** One test under way. */
export class TestRun {
  readonly entities: Entities;
  /** The runner's own client, which nobody watches. */
  readonly admin: MongoClient;
  readonly #failPoints: { readonly client: MongoClient; readonly name: string }[] = [];

  constructor(uri: string, admin: MongoClient) {
    this.entities = new Entities(uri);
    this.admin = admin;
  }

  /** @throws Failure, Skipped; an error of the driver's that the test did not expect comes as Failure */
  async run({ initialData = [], createEntities = [] }: SpecificationFile, test: SpecificationTest): Promise<void> {
    for (const data of initialData) await this.#prepare(data);
    await this.entities.create(createEntities);
    for (const operation of test.operations) await this.execute(operation);
    for (const { done } of this.entities.threads) await done;
    // To end a fail point takes a connection, too, which a test that counts them does not expect.
    for (const expected of test.expectEvents ?? []) this.entities.log(expected.client).check(expected, this.entities);
    await this.#endFailPoints();
    for (const data of test.outcome ?? []) await this.#checkOutcome(data);
  }

  /** Leaves the set as the next test wants it. */
  async end(): Promise<void> {
    await this.#endFailPoints();
    await this.entities.close();
    // A transaction that was left open would hold up who drops its collection.
    await this.admin.db('admin').command({ killAllSessions: [] });
  }

  /** One operation. @throws Failure unless it ends as its entry says */
  async execute(operation: OperationEntry): Promise<void> {
    try {
      await this.#attempt(operation, false);
    } catch (error) {
      if (error instanceof Failure || error instanceof Skipped || !(error instanceof Error)) throw error;
      throw new Failure(`${operation.name}: ${error.name}: ${error.message}`, { cause: error });
    }
  }

  async setFailPoint(client: MongoClient, failPoint: Document): Promise<void> {
    await client.db('admin').command(failPoint);
    this.#failPoints.push({ client, name: failPoint.configureFailPoint });
  }

  /** @param inTransaction the operation's error goes on, expected or not, to the driver, which retries by it */
  async #attempt(operation: OperationEntry, inTransaction: boolean): Promise<void> {
    const { expectError, expectResult, saveResultAsEntity, ignoreResultAndError = false } = operation;
    let result: unknown;
    try {
      result = await this.#perform(operation);
    } catch (error) {
      if (!isAnswer(error) || inTransaction) {
        if (isAnswer(error) && expectError) matchError(expectError, error, this.entities);
        throw error;
      }
      if (ignoreResultAndError) return;
      if (!expectError) throw error;
      return matchError(expectError, error, this.entities);
    }
    if (expectError) throw noError(expectError, result);
    if (saveResultAsEntity !== undefined) this.entities.keep(saveResultAsEntity, result);
    if (expectResult !== undefined && !ignoreResultAndError) match(expectResult, result, this.entities);
  }

  async #perform({ name, object, arguments: args = {} }: OperationEntry): Promise<unknown> {
    if (object === 'testRunner') return required(TEST_RUNNER, name)(this, args);
    const target = this.entities.value(object);
    if (target instanceof ClientSession && name === 'withTransaction') return this.#withTransaction(target, args);
    const { session, ...others } = withReadPreference(args);
    const known = session === undefined ? others : { ...others, session: this.entities.session(session) };
    for (const [kind, operations] of KINDS) {
      if (target instanceof kind) return required(operations, name)(target, known);
    }
    throw new Failure(`nothing can be asked of ${object}`);
  }

  async #withTransaction(session: ClientSession, { callback, ...options }: Document): Promise<void> {
    await session.withTransaction(async () => {
      for (const operation of callback as OperationEntry[]) await this.#attempt(operation, true);
    }, withReadPreference(options));
  }

  async #prepare({ databaseName, collectionName, createOptions, documents }: CollectionData): Promise<void> {
    const db = this.admin.db(databaseName);
    await db.dropCollection(collectionName, MAJORITY);
    if (createOptions || documents.length === 0)
      await db.createCollection(collectionName, { ...createOptions, ...MAJORITY });
    if (documents.length > 0) await db.collection(collectionName).insertMany([...documents], MAJORITY);
  }

  async #checkOutcome({ databaseName, collectionName, documents }: CollectionData): Promise<void> {
    const collection = this.admin.db(databaseName).collection(collectionName, { readConcern: { level: 'local' } });
    const found = await collection.find({}, { sort: { _id: 1 } }).toArray();
    match({ documents }, { documents: found }, this.entities, 'outcome');
  }

  async #endFailPoints(): Promise<void> {
    for (const { client, name } of this.#failPoints.splice(0)) {
      const command = { configureFailPoint: name, mode: 'off' };
      // The test may have closed its own client.
      await client
        .db('admin')
        .command(command)
        .catch(() => this.admin.db('admin').command(command));
    }
  }
}

/** What the driver or a server says; the driver throws no TypeError, so that one is a mistake in here. */
function isAnswer(error: unknown): error is Error {
  if (error instanceof Failure || error instanceof Skipped || error instanceof TypeError) return false;
  return error instanceof Error;
}

/** By the driver's classes; an operation is looked up under the first that fits. */
const KINDS = [
  [MongoClient, CLIENT],
  [Db, DATABASE],
  [Collection, COLLECTION],
  [ClientSession, SESSION],
  [GridFSBucket, BUCKET],
  [AbstractCursor, CURSOR],
  [ChangeStream, CURSOR],
] as unknown as readonly (readonly [abstract new (...args: never[]) => unknown, Operations<unknown>])[];

function required<Target>(operations: Operations<Target>, name: string): Operations<Target>[string] {
  const operation = operations[name];
  if (!operation) throw new Skipped(`the runner does not know the operation ${name}`);
  return operation;
}
