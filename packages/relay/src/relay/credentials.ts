/** The credentials of a key: its secrets, and the signer and identity that are created from them before the start. */
import type { Secret } from '@brokerwire/core'
import { createServiceIdentity, type Endpoint, type ServiceIdentity } from '@brokerwire/core/endpoints'
import { outerSpace } from '@brokerwire/core/internal'
import { createSigner, isSignerError, type Signer } from '@brokerwire/signer'
import type { SecretPlace } from '../config/fields.ts'
import { resolveKeyEndpoint } from '../config/origins.ts'
import type { RelayKeyConfig } from '../config/read-config.ts'
import { optionFailure } from '../relay-error.ts'

export interface Credentials {
  readonly appKey: Secret
  readonly appSecret: Secret
  readonly signer: Signer
  readonly endpoint: Endpoint
  readonly identity: ServiceIdentity
}

/** @throws RelayError `RELAY_OPTION_INVALID` if a secret is missing or unusable, or an address is not known. */
export async function readCredentials(
  at: number,
  key: RelayKeyConfig,
  readSecret: (field: string, place: SecretPlace) => Promise<Secret>,
): Promise<Credentials> {
  const endpoint = resolveKeyEndpoint(key, `keys[${at}]`, optionFailure)
  const { streamAlgorithm } = endpoint
  const appKey = await readSecret(`keys[${at}].appKey`, key.appKey)
  const appSecret = await readSecret(`keys[${at}].appSecret`, key.appSecret)
  try {
    const signer = createSigner({ appKey: appKey.reveal(), appSecret, streamAlgorithm })
    const identity = createServiceIdentity(endpoint, appKey.reveal())
    return { appKey, appSecret, signer, endpoint, identity }
  } catch (error) {
    if (!isSignerError(error, 'SIGNER_OPTION_INVALID')) throw error
    const { field, expected } = error.details
    const refused = field === 'appKey' ? appKey : appSecret
    throw optionFailure(`keys[${at}].${field}`, expected, outerSpace(refused.reveal()) ?? 'another text')
  }
}
