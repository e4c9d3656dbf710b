/**
 * Runs in a project that has two versions of core and signer. Each version must recognize errors and secrets
 * of the other.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import * as core from '@brokerwire/core'
import * as signer from '@brokerwire/signer'
import * as secondCore from 'second-core'
import * as secondSigner from 'second-signer'

const [, , first, second] = process.argv
const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version
assert.notEqual(first, second)
assert.deepEqual(['@brokerwire/core', '@brokerwire/signer'].map(versionOf), [first, first])
assert.deepEqual(['second-core', 'second-signer'].map(versionOf), [second, second])
// The second signer depends on an exact version of core. Therefore it has its own copy of core.
assert.equal(versionOf('second-signer/node_modules/@brokerwire/core'), second)

const errorOf = (createSigner) => {
  try {
    createSigner({ appKey: '', appSecret: 'topsecret' })
  } catch (error) {
    return error
  }
}
for (const error of [errorOf(signer.createSigner), errorOf(secondSigner.createSigner)])
  for (const { isBrokerwireError } of [core, secondCore])
    for (const { isSignerError } of [signer, secondSigner]) {
      assert.ok(isBrokerwireError(error))
      assert.ok(isSignerError(error, 'SIGNER_OPTION_INVALID'))
    }
assert.notEqual(errorOf(signer.createSigner).constructor, errorOf(secondSigner.createSigner).constructor)

for (const { Secret } of [core, secondCore])
  for (const { createSigner } of [signer, secondSigner]) {
    const appSecret = new Secret('topsecret')
    const signed = createSigner({ appKey: 'k', appSecret }).sign({ host: 'api.example.com', path: '/' })
    assert.match((await signed).headers['x-signature'], /^[\w+/]+=*$/)
    assert.doesNotMatch(inspect(appSecret) + JSON.stringify({ appSecret }), /topsecret/)
  }
