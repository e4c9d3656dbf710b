/**
 * Runs the suites in a Worker. The signer is created in the global scope. This shows that creating it does
 * nothing that is forbidden there.
 */
import { createSigner } from '@brokerwire/signer'
import { runSuites } from './suite.ts'

const signer = createSigner({ appKey: 'k', appSecret: 's' })

const worker = {
  async fetch(): Promise<Response> {
    await signer.sign({ host: 'h.example', path: '/' })
    return Response.json(await runSuites({ tcp: true }))
  },
}

// biome-ignore lint/style/noDefaultExport: a Worker's handlers are its default export
export default worker
