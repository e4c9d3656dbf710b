import { createSyncSigner } from '@brokerwire/signer/sync'
const s = createSyncSigner({ appKey:'776da210ab4a452795d74e726ebd74b6', appSecret:'0f50a2e853334a9aae1a783bee120c1f' })
const query=[['account_id','ABC123'],['page_size','50'],['last_id','x y/z']]
for(let i=0;i<2e6;i++) s.sign({host:'api.example.com',path:'/openapi/account/positions',query})
