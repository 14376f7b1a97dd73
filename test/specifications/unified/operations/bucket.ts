import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type { GridFSBucket } from 'mongodb';
import type { Operations } from './operation.ts';

export const BUCKET: Operations<GridFSBucket> = {
  download: (bucket, { id, ...options }) => buffer(bucket.openDownloadStream(id, options)),
  downloadByName: (bucket, { filename, ...options }) => buffer(bucket.openDownloadStreamByName(filename, options)),
  find: (bucket, { filter, ...options }) => bucket.find(filter, options).toArray(),
  // Which driver makes an MD5 sum is its own affair; this one makes none.
  upload: async (bucket, { filename, source, disableMD5, ...options }) => {
    const stream = bucket.openUploadStream(filename, options);
    stream.end(Buffer.from(source.$$hexBytes, 'hex'));
    await finished(stream);
    return stream.id;
  },
  delete: (bucket, { id }) => bucket.delete(id),
  rename: (bucket, { id, newFilename }) => bucket.rename(id, newFilename),
  drop: (bucket) => bucket.drop(),
};
