/** Signs once with a new signer of aws4fetch. */
import { AwsV4Signer } from 'aws4fetch'
import { APP_KEY, APP_SECRET, HOST, PATH, QUERY } from './request.ts'

export async function signOnce(): Promise<string> {
  const url = `https://${HOST}${PATH}?${new URLSearchParams(Object.fromEntries(QUERY))}`
  const credentials = { accessKeyId: APP_KEY, secretAccessKey: APP_SECRET, service: 'execute-api' }
  const { headers } = await new AwsV4Signer({ url, ...credentials }).sign()
  return headers.get('authorization') ?? ''
}
