/** The operation that reads the service's configuration. */
import { booleanLike, type Infer, object } from '@brokerwire/payloads'
import { createOperation, type DefinedOperation } from '../operation.ts'

const config = object({ tokenCheckEnabled: booleanLike })

/** Configuration of the service. */
export interface ServiceConfig extends Infer<typeof config> {}

/** Reads whether other requests need an access token. */
export const getConfig: DefinedOperation<Record<never, never>, ServiceConfig> = createOperation(
  {
    name: 'config.get',
    method: 'GET',
    paths: { openapi: '/openapi/config' },
    authenticated: false,
    fields: {},
    retry: 'always',
    sources: ['PY2', 'JA', 'O-us'],
    confidence: 'official-client',
  },
  config,
)
