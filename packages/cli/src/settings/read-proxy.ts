/** The proxy from the environment, for every command that connects to the service. */
import type { ProxyOption } from '@brokerwire/core'
import { proxyFromEnvironment } from '@brokerwire/core/proxy'
import type { GuardedIo } from '../io.ts'

const VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'] as const

/**
 * Reads the proxy. Its password is removed from standard error.
 *
 * @returns `undefined` if no variable names a proxy.
 * @throws CoreError `OPTION_INVALID`
 */
export function readProxyVariables({ env, keepSecret }: GuardedIo): ProxyOption | undefined {
  const proxy = proxyFromEnvironment(env)
  for (const name of VARIABLES.flatMap((variable) => [variable, variable.toLowerCase()])) {
    const value = env[name]?.trim() ?? ''
    const url = value.includes('://') ? value : `http://${value}`
    if (!URL.canParse(url)) continue
    const { password } = new URL(url)
    if (password === '') continue
    keepSecret(password)
    keepSecret(decodeURIComponent(password))
  }
  return proxy
}
