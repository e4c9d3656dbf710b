/** The credentials of an app: its secrets, and the signer and identity that are created from them before the start. */
import type { Clock, Secret } from '@brokerwire/core'
import { createServiceIdentity, type Endpoint, type ServiceIdentity } from '@brokerwire/core/endpoints'
import { outerSpace } from '@brokerwire/core/internal'
import { createSigner, isSignerError } from '@brokerwire/signer'
import type { StreamSigner } from '@brokerwire/streams'
import type { SecretRef } from '../config/fields.ts'
import { resolveAppEndpoint } from '../config/origins.ts'
import type { RelayAppConfig } from '../config/parse-config.ts'
import { optionFailure } from '../relay-error.ts'
import { createReloadingSigner } from './reloading-signer.ts'

export interface Credentials {
  readonly appKey: Secret
  readonly appSecret: Secret
  /** Signs subscriptions. In a running relay, its secret is read again at an interval. */
  readonly signer: StreamSigner
  readonly endpoint: Endpoint
  readonly identity: ServiceIdentity
}

/**
 * Reads the secrets of an app, and creates its credentials.
 *
 * @throws RelayError `RELAY_OPTION_INVALID` if a secret is missing or unusable, or an address is not known.
 */
export async function readCredentials(
  at: number,
  app: RelayAppConfig,
  readSecret: (field: string, ref: SecretRef) => Promise<Secret>,
  clock: Clock,
): Promise<Credentials> {
  const endpoint = resolveAppEndpoint(app, `apps[${at}]`, optionFailure)
  const { streamAlgorithm } = endpoint
  const appKey = await readSecret(`apps[${at}].appKey`, app.appKey)
  const readAppSecret = (): Promise<Secret> => readSecret(`apps[${at}].appSecret`, app.appSecret)
  const appSecret = await readAppSecret()
  try {
    const signer = createReloadingSigner({
      appSecret,
      readSecret: readAppSecret,
      createSigner: (secret) => createSigner({ appKey: appKey.reveal(), appSecret: secret, streamAlgorithm }),
      clock,
    })
    const identity = createServiceIdentity(endpoint, appKey.reveal())
    return { appKey, appSecret, signer, endpoint, identity }
  } catch (error) {
    if (!isSignerError(error, 'SIGNER_OPTION_INVALID')) throw error
    const { field, expected } = error.details
    const refused = field === 'appKey' ? appKey : appSecret
    throw optionFailure(`apps[${at}].${field}`, expected, outerSpace(refused.reveal()) ?? 'another text')
  }
}
