/** Other signers as they run in workerd, on the same request, each with its own scheme and its keys warm. */
import { createHmac } from 'node:crypto'
import { Sha256 } from '@aws-crypto/sha256-js'
import { SignatureV4 } from '@smithy/signature-v4'
import { AwsV4Signer } from 'aws4fetch'
import OAuth from 'oauth-1.0a'
import { APP_KEY, APP_SECRET, AWS_CREDENTIALS, smithyRequest, URL_TEXT } from './request.ts'

/** Derived keys, which aws4fetch keeps where it is given a map. */
const cache = new Map<string, ArrayBuffer>()
const smithy = new SignatureV4({
  service: 'execute-api',
  region: 'us-east-1',
  credentials: AWS_CREDENTIALS,
  sha256: Sha256,
})
const oauth = new OAuth({
  consumer: { key: APP_KEY, secret: APP_SECRET },
  signature_method: 'HMAC-SHA1',
  hash_function: (text, key) => createHmac('sha1', key).update(text).digest('base64'),
})

/** A signer of requests that are given in parts. */
export const WORKER_PEERS: Readonly<Record<string, () => unknown>> = {
  aws4fetch: () =>
    new AwsV4Signer({ url: URL_TEXT, service: 'execute-api', cache, ...AWS_CREDENTIALS }).sign(),
  smithy: () => smithy.sign(smithyRequest()),
  'oauth-1.0a': () => oauth.toHeader(oauth.authorize({ url: URL_TEXT, method: 'GET' })),
}
