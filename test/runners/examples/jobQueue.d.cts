import type { Collection, Db, Document } from 'mongodb';

export class JobQueue {
  readonly jobs: Collection<{ _id: string } & Document>;
  constructor(db: Db);
  prepare(): Promise<void>;
  add(job: { _id: string }): Promise<unknown>;
  work(perform: (job: Document) => Promise<void>): () => void;
}
