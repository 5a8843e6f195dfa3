import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, test } from '@jest/globals';
import type { StoredContent } from '../../src/documents/content-store.ts';
import { createS3Store } from '../../src/documents/s3-store.ts';
import { ACCESS, BUCKET } from '../support/lying-store.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';

/*
 * In these tests an S3 store answers like those of other vendors: with minimal answers, unknown elements, and nonsense
 * in headers that the service ignores.
 */

const TEXT = 'avis';
const PATH = 'ab/avis';
const UNAVAILABLE = { code: 'ERROR_UNAVAILABLE' };

let answer: RequestListener = () => undefined;
let asked = 0;
const server = createServer((request, response) => {
  asked += 1;
  request.resume().once('end', () => {
    answer(request, response);
  });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
await forSuite(server);
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const store = createS3Store({ bucket: BUCKET, prefix: '', endpoint, access: ACCESS });
afterAll(() => {
  store.close();
});
const folder = await folderForSuite();

const saying =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): RequestListener =>
  ({ method }, response) =>
    response
      .writeHead(status, { ...(status === 204 ? {} : { 'content-length': Buffer.byteLength(body) }), ...headers })
      .end(method === 'HEAD' ? undefined : body);

async function put(): Promise<void> {
  await writeFile(join(folder, 'content'), TEXT);
  await store.put(PATH, join(folder, 'content'));
}

const read = async () => (await buffer(await store.read(PATH))).toString();

async function list(): Promise<StoredContent[]> {
  const contents = [];
  for await (const content of store.list()) contents.push(content);
  return contents;
}

const listing = (more = '', contents = `<Key>${PATH}</Key><Size>4</Size>`): string =>
  `<ListBucketResult><Contents>${contents}</Contents>${more}</ListBucketResult>`;

test('the service accepts answers of an S3 store that have only a status and the content of a document', async () => {
  answer = saying(200, TEXT);
  expect([await store.size(PATH), await read()]).toEqual([4, TEXT]);
  await put();
  await store.remove(PATH);
  answer = saying(204);
  await store.remove(PATH);
  answer = saying(200, listing());
  expect(await list()).toEqual([{ path: PATH, size: 4 }]);
  answer = saying(200, '<ListBucketResult/>');
  expect(await list()).toEqual([]);
});

const HEADERS = [
  ...['etag', 'last-modified', 'expires', 'content-type', 'content-disposition', 'cache-control', 'accept-ranges'],
  ...['x-amz-version-id', 'x-amz-delete-marker', 'x-amz-missing-meta', 'x-amz-mp-parts-count', 'x-amz-tagging-count'],
  ...['x-amz-object-lock-retain-until-date', 'x-amz-checksum-crc32', 'x-amz-meta-name', 'x-unknown'],
];

test.each(HEADERS)('the service ignores nonsense in the header %s of an S3 store’s answer', async (header) => {
  answer = saying(200, TEXT, { [header]: 'no, "nonsense' });
  expect([await store.size(PATH), await read()]).toEqual([4, TEXT]);
  await put();
  await store.remove(PATH);
});

test('the service ignores unknown elements and nonsense in unused elements of an S3 store’s list', async () => {
  const known = `<Key>${PATH}</Key><Size>4</Size>`;
  for (const element of ['ETag', 'StorageClass', 'Owner', 'ChecksumAlgorithm', 'ChecksumType', 'Unknown'])
    for (const value of ['', 'nonsense']) {
      answer = saying(200, listing('', `${known}<${element}>${value}</${element}>`));
      expect([element, value, await list()]).toEqual([element, value, [{ path: PATH, size: 4 }]]);
    }
  for (const element of ['Name', 'Prefix', 'MaxKeys', 'KeyCount', 'CommonPrefixes', 'EncodingType', 'Unknown']) {
    answer = saying(200, listing(`<${element}>nonsense</${element}>`));
    expect([element, await list()]).toEqual([element, [{ path: PATH, size: 4 }]]);
  }
});

test('a list of an S3 store ends at an empty continuation token, and a truncated list without a next token is an error', async () => {
  answer = saying(200, listing('<NextContinuationToken></NextContinuationToken>'));
  expect(await list()).toHaveLength(1);
  asked = 0;
  answer = (request, response) => {
    saying(
      200,
      listing(
        request.url?.includes('continuation-token=next') === true
          ? ''
          : '<NextContinuationToken>next</NextContinuationToken>',
      ),
    )(request, response);
  };
  expect([(await list()).length, asked]).toEqual([2, 2]);
  const truncated = '<IsTruncated>true</IsTruncated>';
  for (const more of [truncated, `${truncated}<NextContinuationToken>same</NextContinuationToken>`]) {
    answer = saying(200, listing(more));
    await expect(list()).rejects.toMatchObject(UNAVAILABLE);
  }
});

test('an S3 store’s answer without the size of a document’s content is an error', async () => {
  answer = (_request, response) => response.writeHead(200, { 'transfer-encoding': 'chunked' }).end();
  await expect(store.size(PATH)).rejects.toMatchObject(UNAVAILABLE);
  for (const size of ['', '<Size>many</Size>']) {
    answer = saying(200, listing('', `<Key>${PATH}</Key>${size}`));
    await expect(list()).rejects.toMatchObject(UNAVAILABLE);
  }
});

const ERROR = '<Error><Code>NoSuchKey</Code><Unknown/></Error>';

test.each([
  ['no body', ''],
  ['an error without a message', ERROR],
])(
  'a document’s content counts as missing if the S3 store answers 404 with %s, and its removal succeeds',
  async (_with, body) => {
    answer = (request, response) => {
      saying(request.url === `/${BUCKET}` || request.url === `/${BUCKET}/` ? 200 : 404, body)(request, response);
    };
    expect(await store.size(PATH)).toBeUndefined();
    await expect(store.read(PATH)).rejects.toThrow(`there is no content at ${PATH}`);
    await store.remove(PATH);
  },
);

test.each([
  ['403 without a body', 403, ''],
  ['403 with a page', 403, '<!doctype html><p>no'],
  ['400 with an error without a code', 400, '<Error/>'],
  ['404 for the bucket', 404, '<Error><Code>NoSuchBucket</Code></Error>'],
])('an S3 store that answers %s counts as unavailable', async (_with, status, body) => {
  answer = saying(status, body);
  for (const work of [() => store.size(PATH), read, put, list, () => store.remove(PATH)])
    await expect(work()).rejects.toMatchObject(UNAVAILABLE);
});

test('the error for an unavailable S3 store has a reason of one line without control characters', async () => {
  answer = saying(403, '<Error><Code>AccessDenied</Code><Message>no\n\u202Eaccess\u0085</Message></Error>');
  await expect(list()).rejects.toMatchObject({ message: 'the document store is out of reach: no access' });
});
