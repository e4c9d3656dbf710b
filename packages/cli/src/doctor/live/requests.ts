/** The HTTP requests of `doctor --live`. All of them read. */
import type { OperationRequest, PathFamily, Secret } from '@brokerwire/core'
import type { SignatureAlgorithm } from '@brokerwire/core/endpoints'
import { isRecord } from '@brokerwire/core/internal'
import { checkAccessToken, getConfig, listAccounts, listSnapshots } from '@brokerwire/operations'
import type { HttpRequest } from '../../request/signed-request.ts'
import { type Answer, createAnswer } from './answer.ts'
import type { Calls } from './calls.ts'
import {
  ALGORITHMS,
  areCredentialsRejected,
  decideAlgorithm,
  decideClockOffset,
  decidePathFamily,
  decideTokenCheck,
  decideVersions,
  type FamilyOutcomes,
} from './decisions.ts'
import { getToken, type MeasureOptions } from './options.ts'
import { type CallOutcome, isServed } from './outcome.ts'
import type { Question } from './questions.ts'

/** The end of paths that no source names. */
const UNKNOWN_PATH = 'brokerwire/unknown'
const FAMILIES = ['current', 'openapi'] as const
/** API versions of each path family: the usual one, and the other one. */
const VERSIONS = { current: ['v3', 'v2'], openapi: ['v2', 'v3'] } as const

/** Answers, and the facts that later steps use. */
export interface RequestResult {
  readonly answers: readonly Answer[]
  /** Ids in the list of accounts. */
  readonly accounts: readonly string[]
  readonly areCredentialsRejected: boolean
}

export async function measureRequests(options: MeasureOptions, calls: Calls): Promise<RequestResult> {
  const signed = await tryAlgorithms(options, calls)
  const [first] = signed.values()
  const served = [...signed].find(([, outcome]) => isServed(outcome))
  const [algorithm, config] = served ?? [options.endpoint.algorithm, first]
  const answers = [
    ...(first === undefined ? [] : [createAnswer('clock-offset', decideClockOffset(first), [first])]),
    createAnswer('signature-algorithm', decideAlgorithm(signed), [...signed.values()]),
    ...(config === undefined ? [] : [createAnswer('access-token', decideTokenCheck(config), [config])]),
  ]
  if (areCredentialsRejected(signed)) return { answers, accounts: [], areCredentialsRejected: true }
  const paths = await tryPaths(options, calls, algorithm)
  return { answers: [...answers, ...paths.answers], accounts: paths.accounts, areCredentialsRejected: false }
}

/**
 * Reads the configuration, signed with each algorithm. Corrects the clock after the first response. If that was
 * no success, its request is repeated with the corrected clock.
 */
async function tryAlgorithms(
  { endpoint }: MeasureOptions,
  calls: Calls,
): Promise<ReadonlyMap<SignatureAlgorithm, CallOutcome>> {
  const usual = endpoint.algorithm
  const config = toRequest(getConfig.createRequest({}, { pathFamily: 'openapi' }))
  const signed = new Map<SignatureAlgorithm, CallOutcome>()
  for (const algorithm of [usual, ...ALGORITHMS.filter((name) => name !== usual)]) {
    const outcome = await calls.request(algorithm, config)
    const isRepeated = signed.size === 0 && calls.correctClock(outcome) && !isServed(outcome)
    signed.set(algorithm, isRepeated ? await calls.request(algorithm, config) : outcome)
  }
  return signed
}

/** Sends the same requests in both path families, and with both API versions. */
async function tryPaths(
  { endpoint, token }: MeasureOptions,
  calls: Calls,
  algorithm: SignatureAlgorithm,
): Promise<{ readonly answers: readonly Answer[]; readonly accounts: readonly string[] }> {
  const value = getToken(token)
  const send = (request: HttpRequest): Promise<CallOutcome> => calls.request(algorithm, request)
  const unknown = new Map<string, CallOutcome>()
  const sendUnknown = async ({ json, query, ...request }: HttpRequest): Promise<CallOutcome> => {
    const control = { ...request, path: toUnknownPath(request.path), ...(json !== undefined && { json: {} }) }
    const key = `${control.method} ${control.path} ${control.authenticated}`
    const outcome = unknown.get(key) ?? (await send(control))
    unknown.set(key, outcome)
    return outcome
  }
  const tryFamilies = async (toFamily: (family: PathFamily) => HttpRequest): Promise<FamilyOutcomes> => ({
    current: await send(toFamily('current')),
    openapi: await send(toFamily('openapi')),
    unknownPaths: {
      current: await sendUnknown(toFamily('current')),
      openapi: await sendUnknown(toFamily('openapi')),
    },
  })
  const answerFamily = (question: Question, outcomes: FamilyOutcomes): Answer => {
    const { current, openapi, unknownPaths } = outcomes
    return createAnswer(question, decidePathFamily(outcomes), [
      current,
      openapi,
      unknownPaths.current,
      unknownPaths.openapi,
    ])
  }

  const toAccounts = (pathFamily: PathFamily): HttpRequest =>
    toRequest(listAccounts.createRequest({}, { pathFamily }), value)
  const accounts = await tryFamilies(toAccounts)
  const versions = []
  for (const family of FAMILIES) {
    const [usual, other] = VERSIONS[family]
    const isKnown = isServed(accounts[family])
    const outcome: CallOutcome = isKnown
      ? await send({ ...toAccounts(family), apiVersion: other })
      : { type: 'not-made', reason: 'the usual version was not accepted' }
    versions.push({ family, usual: [usual, accounts[family]], other: [other, outcome] } as const)
  }
  const versionOutcomes = versions.flatMap(({ usual, other }) => [usual[1], other[1]])

  const tokenPaths =
    value === undefined
      ? undefined
      : await tryFamilies((pathFamily) =>
          toRequest(checkAccessToken.createRequest({ token: value }, { pathFamily })),
        )
  const stock =
    endpoint.region === 'hk'
      ? ({ category: 'HK_STOCK', symbols: ['00700'] } as const)
      : ({ category: 'US_STOCK', symbols: ['AAPL'] } as const)
  const snapshot = { ...stock, extendHourRequired: false, overnightRequired: false }
  const marketData = await tryFamilies((pathFamily) =>
    toRequest(listSnapshots.createRequest(snapshot, { pathFamily }), value),
  )
  return {
    answers: [
      answerFamily('accounts-paths', accounts),
      createAnswer('api-versions', decideVersions(versions), versionOutcomes),
      tokenPaths === undefined
        ? createAnswer('token-paths', { reason: 'missing' in token ? token.missing : '' }, [])
        : answerFamily('token-paths', tokenPaths),
      answerFamily('market-data-paths', marketData),
    ],
    accounts: FAMILIES.flatMap((family) => listAccountIds(accounts[family])),
  }
}

/** Returns the request of an operation. Without a token it is sent without one. */
function toRequest(
  { method, path, apiVersion, query, json, authenticated }: OperationRequest,
  token?: Secret | undefined,
): HttpRequest {
  const accessToken = authenticated ? token : undefined
  const body = json === undefined ? {} : { json }
  return { method, path, apiVersion, query, ...body, authenticated: accessToken !== undefined, accessToken }
}

/** Returns a path that no source names, with the first segment of another one. */
const toUnknownPath = (path: string): string => path.replace(/^(\/[^/]+).*/, `$1/${UNKNOWN_PATH}`)

/** Returns the account ids of a list of accounts. */
function listAccountIds(outcome: CallOutcome): readonly string[] {
  if (outcome.type !== 'response' || !Array.isArray(outcome.json)) return []
  return outcome.json.flatMap((one: unknown) =>
    isRecord(one) && typeof one.account_id === 'string' ? [one.account_id] : [],
  )
}
