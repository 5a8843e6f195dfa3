import S3rver from 's3rver';
import { BUCKETS } from '../../test/faults/stored-contents.ts';

/** The command `node s3-server.ts FOLDER PORT` runs an S3 server on this machine until it is killed. */
const [, , directory = '', port = ''] = process.argv;
const s3 = new S3rver({
  ...{ address: '127.0.0.1', port: Number(port), silent: true, directory },
  configureBuckets: BUCKETS,
});
await s3.run();
