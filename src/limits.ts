/*
 * Every limit of the service that no environment variable sets. Each line has the value, the unit and the reason.
 * `npm run limits:page` generates docs/limits.md from this file.
 */

/* Connections and requests */
export const MAX_HTTP_CONNECTIONS = 4_000; // connections: the most open HTTP connections; 4,000 idle ones take about 100 MB of memory
export const REQUEST_HEADERS_TIMEOUT_MS = 15_000; // ms: time for a caller to send all headers of a request
export const MAX_HEADER_BYTES = 256 * 1024; // bytes: all headers of a request; a token of 2,000 clients takes about 104 kB, and cookies of the same site come on top
export const MAX_HEADER_LINES = 100; // lines: headers of a request; browsers send about 30, and proxies add some
export const MAX_REQUEST_TARGET_CHARACTERS = 8_192; // characters: path and query of a request; RFC 9110 asks for 8,000 at least
export const CHECKED_INPUT_CACHE_CHARACTERS = 1_000_000; // characters: size of the cache of checked paths and queries; the cache takes some megabytes of memory
export const CACHED_LIST_QUERIES = 500; // lists: list statements in the cache; each takes some kilobytes
export const HTTP_KEEP_ALIVE_MS = 65_000; // ms: an idle connection closes after this time; load balancers usually close after 60 s, so that the balancer closes first
export const RESPONSE_STALL_TIMEOUT_MS = 60_000; // ms: the service closes the connection of a caller that has read no byte of its response for this time
export const RIGHTS_RECHECK_MS = 1_000; // ms: pause between two checks whether the caller of a long response still has the right to it
export const RIGHTS_RECHECK_GRACE_MS = 30_000; // ms: a long response goes on for this time while Postgres does not answer whether its caller still has the right
export const LONG_REPLY_CHARACTERS = 64 * 1024; // characters: a shorter response without a stream leaves the process at once, so the service does not check the rights again
export const DISCARD_BEFORE_CLOSE_MS = 1_000; // ms: before the service closes a connection, it drops further bytes for this time; closing at once would reset the connection and lose the response
export const SHUTDOWN_IDLE_CONNECTION_MS = 1_000; // ms: at shutdown an idle connection stays open for this time, because a request may be on its way
export const SHUTDOWN_DRAIN_MS = 7_000; // ms: at shutdown, time for the running requests; the whole shutdown has ten seconds
export const MAX_WORK_BEFORE_YIELD_MS = 10; // ms: after this time the work of one request lets other requests run
export const LOGGED_TEXT_CHARACTERS = 1_000; // characters: the log and the audit record keep this much of a caller's text
export const LOGGED_ADDRESS_CHARACTERS = 100; // characters: the log and the audit record keep this much of a caller's address
export const ERROR_FIELD_CHARACTERS = 200; // characters: an error response repeats this much of an unknown field's name
export const COMPRESSION_MIN_BYTES = 14_600; // bytes: the service compresses responses from this size on; a smaller one fits into ten TCP segments and would arrive no sooner
export const HEALTH_CHECK_TIMEOUT_MS = 800; // ms: time for Postgres to answer a health check; a load balancer waits for a second or two

/* Rate limits */
export const RATE_LIMIT_WINDOW_MS = 60_000; // ms: a rate-limit window, from the first request that it counts
export const IPV6_SUBNET_BITS = 64; // bits of an IPv6 address: all addresses of one subnet count as one address, because one caller often owns the subnet
export const IPV6_NETWORK_BITS = 56; // bits of an IPv6 address: a network often holds 256 subnets of one firm or one street
export const IPV6_NETWORK_ALLOWED_ADDRESSES = 4; // addresses: a whole IPv6 network may send as many requests as this many addresses
export const REDIS_RESPONSE_TIMEOUT_MS = 1_000; // ms: Redis may delay a request by this time at most, once for each outage; on a busy machine answers take long
export const REDIS_CONNECT_TIMEOUT_MS = 1_000; // ms: time for a connection to Redis; no request waits for it
export const REDIS_RECONNECT_PAUSES_MS = [250, 5_000] as const; // ms, first and longest: pauses before the service connects to a lost Redis again
export const BACKOFF_RESET_MS = 60_000; // ms: after this time of success the next failure starts with the shortest pause again

/* Calendars */
export const CALENDAR_READS_PER_MINUTE = 20; // requests a minute: reads of one calendar; a calendar program reads some times a day
export const MAX_CALENDAR_EVENTS = 500; // events: events of one calendar, the nearest first; each takes about 30 µs to write
export const CALENDAR_AHEAD_DAYS = 366; // days: a calendar shows this many days ahead
export const CALENDAR_PAST_DAYS = 31; // days: a calendar shows open deadlines of this many past days

/* Bodies */
export const BODY_BYTES = 256 * 1024; // bytes: a body with one record; its texts may have far less together
export const BULK_CHANGE_BODY_BYTES = 1024 * 1024; // bytes: a body with MAX_BULK_CHANGES changes, about 2,000 bytes each
export const MANY_RECORDS_BODY_BYTES = 10 * 1024 * 1024; // bytes: a body with many records
export const MAX_BODY_ROWS = 10_000; // records: records of one body; empty CSV lines count too, because they cost as much
export const BODY_WINDOW_MS = 30_000; // ms: in each window a caller must send BODY_WINDOW_BYTES or the rest of its body
export const BODY_WINDOW_BYTES = 256 * 1024; // bytes: bytes that a caller must send in each BODY_WINDOW_MS, about 70 kbit/s
export const UNCHECKED_BODY_CHUNKS = 1_000; // pieces: chunks of any size that a body may have; each costs as much work as a thousand bytes
export const MIN_AVERAGE_CHUNK_BYTES = 1024; // bytes: average size that all chunks after the first UNCHECKED_BODY_CHUNKS must have
export const BODY_WORK_TIMEOUT_MS = 60_000; // ms: time to parse and check one body, with pauses for other requests; its transaction may take half of this time
export const MAX_JSON_NUMBER_DIGITS = 15; // digits: digits of a JSON number; a double keeps 15, so that with more the rules would check another number
export const MAX_JSON_DEPTH = 20; // levels: nesting of a JSON body; valid bodies have three levels at most, and the limit protects recursive code
export const MAX_JSON_VALUES = 10_000; // values: values of a JSON body, or of one record of an import
export const MAX_JSON_FIELDS = 100; // fields: fields of a JSON body, or of one record of an import; parsing a field name costs as much as ten values
export const MAX_JSON_FIELDS_PER_CHANGE = 10; // fields: fields of each change of a bulk change
export const MAX_LOGIN_JSON_VALUES = 10; // values and fields: values and fields of a JSON body without a token in the header
export const MULTIPART_OVERHEAD_BYTES = 64 * 1024; // bytes: boundaries and headers of a multipart form, on top of its file
export const MAX_MULTIPART_PARTS = 10; // parts: parts of a multipart form; unknown parts count too, because they cost the same work
export const MAX_MULTIPART_BOUNDARY_CHARACTERS = 70; // characters: a multipart boundary (RFC 2046, section 5.1.1)
export const MAX_FILTER_VALUES = 20; // values: values of one list filter
export const MAX_FILTER_IDS = 200; // ids: ids of the filter `id`; MAX_REQUEST_TARGET_CHARACTERS has space for as many, even with escaped commas
export const MAX_CURSOR_CHARACTERS = 2_000; // characters: the place in a list or in the changes at which a page begins
export const IDEMPOTENCY_KEY_CHARACTERS = 255; // characters: an Idempotency-Key
export const MAX_LISTED_PROBLEMS = 100; // errors: errors that one response lists for a body
export const MAX_CHECKED_REFERENCES = 500; // ids: ids of a body that the service looks up to find a missing record or another tenant's
export const MAX_CSV_ROW_CHARACTERS = 100_000; // characters: one CSV row; it has space for the longest text of a field and all other fields
export const MAX_CSV_ROW_CELLS = 1_000; // cells: cells of one CSV row
export const CSV_BYTES_BEFORE_YIELD = 4 * 1024; // bytes: the service parses this much CSV, then lets other requests run; these bytes may all be line ends
export const LARGE_JSON_BODY_BYTES = 8 * 1024; // bytes: of the JSON bodies above this size the service checks one in each turn of the event loop, so that many at once do not block it
export const TEXT_BYTES_BEFORE_YIELD = 64 * 1024; // bytes: the service checks or decodes this much text, then lets other requests run

/* Imports */
export const MAX_BULK_CHANGES = 500; // records: records that one bulk change may change
export const IMPORT_TRANSACTION_TIMEOUT_MS = 30_000; // ms: time for the transaction of a long import
export const MAX_SHORT_IMPORT_ROWS = 250; // records: an import up to this size runs as an ordinary short request
export const IMPORT_BATCH_ROWS = 1_000; // records: records of one import statement; a small statement is quick to run and to roll back
export const IMPORT_BATCH_CHARACTERS = 512 * 1024; // characters: texts of one import statement; a small statement is quick to run and to roll back
export const IMPORT_TRIAL_LINES = 250; // lines: lines that one transaction tries while the import searches for the refused lines
export const MAX_IMPORT_TRIALS = 200; // attempts: statements that the import may try while it searches for the refused lines
export const LIST_SEARCH_ROWS = 10_000; // rows: with a filter that most rows pass, a list searches this many rows first
export const MAX_SEARCH_WORDS = 10; // words: words of the search `q` that count, the longest first; each word is one more condition
export const WORD_SEARCH_ROWS = 2_500; // rows: with a search by words, a list searches this many rows first; an index finds rare words
export const WORD_INDEX_MIN_CLIENTS = 100; // clients: from this number of clients in the token, a search uses the index of words; for fewer clients it reads every claim

/* Lists and streams of changes */
export const MAX_RECORDS_PER_CHANGE_READ = 1_000; // records: records of all tenants that one read of changes examines; it returns no more than these
export const MAX_CHANGE_STREAMS = 500; // streams: open change streams of one process; each takes some kilobytes, and a page of changes while it sends
export const MAX_CHANGE_STREAMS_PER_USER = 5; // streams: open change streams of one caller; a browser has six connections to one server
export const CHANGE_STREAM_HEARTBEAT_MS = 20_000; // ms: a silent change stream sends a heartbeat after this time and checks the caller's rights again
export const CHANGE_POLL_MS = 250; // ms: pause between two queries for new changes; one connection asks for all streams
export const CHANGE_POLL_RETRY_MS = [250, 5_000] as const; // ms, first and longest: pauses between the queries for new changes while they fail
export const CHANGE_STREAM_READ_PAUSE_MS = 2_000; // ms: pause between two reads of one change stream
export const CONCURRENT_CHANGE_STREAM_READS = 1; // stream: number of change streams that read from Postgres at a time; the other connections serve requests
export const CHANGE_STREAM_STALL_TIMEOUT_MS = 10_000; // ms: the service ends a change stream if the caller has not taken a piece after this time
export const CHANGE_STREAM_CLOSE_TIMEOUT_MS = 1_000; // ms: at shutdown, time for a caller to take the last piece of its change stream

/* Passwords */
export const MAX_PASSWORD_BYTES = 72; // bytes: length of a password; bcrypt ignores further bytes
export const PASSWORD_BCRYPT_COST = 12; // as the bcrypt cost: a new hash takes 2 to the power of 12 rounds, about a quarter of a second of one processor
export const MAX_STORED_BCRYPT_COST = 14; // as the bcrypt cost: the service checks stored hashes up to this cost; each step takes twice as long
export const MAX_WAITING_PASSWORD_HASHES = 16; // hashes: hashes that may wait for the one hashing thread, some seconds of work
export const PASSWORD_HASH_TIMEOUT_MS = 8_000; // ms: time for a hash with its wait; the full queue takes a little less on a quiet machine

/* Tokens and the identity provider */
export const MAX_TOKEN_CHARACTERS = 256 * 1024; // characters: an access token; all headers together may have as many
export const MAX_TOKEN_HEADER_CHARACTERS = 16 * 1024; // characters: the header of a token, which the service parses before it checks the signature; a certificate chain has thousands
export const MAX_TOKEN_CLAIM_CHARACTERS = 255; // characters: a subject, an email or a name in a token
export const TOKEN_CLOCK_TOLERANCE_S = 30; // s: tolerance for the times in a token
export const MAX_CACHED_TOKENS = 10_000; // tokens: verified tokens in the cache
export const TOKEN_CACHE_BYTES = 32 * 1024 * 1024; // bytes: memory for the callers whose verified tokens are cached
export const MAX_KEY_SET_BYTES = 512 * 1024; // bytes: a key set of the identity provider
export const MIN_RSA_KEY_BITS = 2_048; // bits: the shortest RSA key with which the service verifies a signature (RFC 7518, 3.3)
export const KEY_SET_REFRESH_MS = 600_000; // ms: the service fetches the provider's keys again after this time
export const PROVIDER_RETRY_MS = 30_000; // ms: pause before the service asks a failed provider for keys or discovery again
export const MISSING_KEY_SET_RETRY_MS = 1_000; // ms: pause before the service asks again while it has no keys yet
export const PROVIDER_RESPONSE_TIMEOUT_MS = 5_000; // ms: time for each response of the identity provider
export const MAX_DISCOVERY_BYTES = 64 * 1024; // bytes: the provider's discovery document
export const DISCOVERY_REFRESH_MS = 600_000; // ms: the service reads the provider's discovery document again after this time
export const CLOCK_COMPARISON_PAUSE_MS = 60_000; // ms: pause between two comparisons of the clocks of provider, service and Postgres
export const CLOCK_PROOF_PAUSE_MS = 60_000; // ms: pause between two stored proofs of a wrong clock; the database trusts a proof for an hour
export const CLOCK_DIFFERENCE_WARNING_MS = 3_000; // ms: the service logs a larger difference between clocks, because an operator should correct a clock
export const CLOCK_READING_MAX_AGE_MS = 300_000; // ms: the service trusts a reading of the provider's clock for this time
export const MAX_CLOCK_DIFFERENCE_MS = 240_000; // ms: the service distrusts a larger difference of the provider's clock; each clock may be off by two minutes

/* Delivery of changed rights to the identity provider */
export const MANAGEMENT_RESPONSE_BYTES = 1024 * 1024; // bytes: a response of the provider's management API
export const MANAGEMENT_MESSAGE_CHARACTERS = 200; // characters: the service keeps this much of an error message of the management API
export const MANAGEMENT_RETRIES = 2; // attempts: immediate retries while the management API is unreachable
export const MANAGEMENT_RETRY_PAUSE_MS = 200; // ms: pause before the first immediate retry at the management API
export const MANAGEMENT_ROLES_CACHE_MS = 600_000; // ms: the service caches the provider's roles for this time
export const MANAGEMENT_ROLES_PAGE_SIZE = 100; // roles: roles of one page of the management API
export const MAX_MANAGEMENT_ROLES_PAGES = 10; // pages: pages of roles that the service reads from the management API
export const MANAGEMENT_RATE_LIMITED_WAIT_MS = 10_000; // ms: wait after a 429 of the management API without a Retry-After
export const MANAGEMENT_RETRY_AFTER_RANGE_MS = [1_000, 3_600_000] as const; // ms, least and most: wait after a Retry-After of the management API
export const TOKEN_ENDPOINT_RESPONSE_BYTES = 256 * 1024; // bytes: a response of the provider's token endpoint
export const MANAGEMENT_TOKEN_RENEWAL_MARGIN_MS = 60_000; // ms: the service renews its management token this long before the token expires
export const DEFAULT_MANAGEMENT_TOKEN_LIFETIME_S = 300; // s: lifetime of a management token whose response states none
export const CONCURRENT_RIGHTS_DELIVERIES = 8; // users: users whose changed rights the service sends at a time
export const RIGHTS_DELIVERY_TIMEOUT_MS = 20_000; // ms: time to deliver the changed rights of one user
export const RIGHTS_DELIVERY_LEASE_MS = 30_000; // ms: another process takes over a delivery after this time without a result; a delivery ends well before
export const RIGHTS_DELIVERY_POLL_MS = 1_000; // ms: pause before the next search after a search found no change to deliver
export const RETURNED_DELIVERY_PAUSE_MS = 1_000; // ms: a process that returned a delivery leaves it to other processes for this time
export const BLOCKED_RIGHTS_DELIVERY_RETRY_MS = 3_600_000; // ms: pause between attempts if only a person can correct the cause of the failure
export const DELIVERED_CHANGES_DELETE_PAUSE_MS = 3_600_000; // ms: pause between two removals of old delivered changes
export const DELIVERY_FAILURES_BEFORE_PAUSE = 4; // users: after this many users whose deliveries fail in a row, all deliveries pause
export const RIGHTS_DELIVERY_PAUSES_MS = [1_000, 30_000] as const; // ms, first and longest: pauses of all deliveries while the provider is unreachable
export const IDENTITY_SYNC_PAGE_USERS = 500; // users: users that identity:sync reads at once
export const IDENTITY_SYNC_CONCURRENT_REQUESTS = 5; // users: users that identity:sync requests from the provider at the same time
export const IDENTITY_SYNC_MAX_WAITS = 20; // times: identity:sync gives up after the provider has asked it this often to wait
export const IDENTITY_SYNC_DELIVERY_WAIT_MS = 60_000; // ms: identity:sync waits this long for the delivery of its changes
export const IDENTITY_SYNC_POLL_MS = 500; // ms: pause between two checks of identity:sync whether its changes are delivered
export const COMMAND_PROGRESS_PAUSE_MS = 2_000; // ms: pause between two progress lines of a command

/* Reminders by mail */
export const REMINDER_POLL_MS = 60_000; // ms: pause between two searches for reminders to plan or send
export const CONCURRENT_REMINDER_MAILS = 4; // mails: mails that the service sends at the same time
export const MAX_REMINDER_DEADLINES = 100; // deadlines: deadlines of one mail; the mail states how many more exist
export const MAIL_SERVER_MESSAGE_CHARACTERS = 400; // characters: the service keeps this much of the error of a mail
export const REMINDER_TEXT_CHARACTERS = 120; // characters: a mail shows this much of a task's text or of a number
export const REMINDER_SEND_TIMEOUT_MS = 120_000; // ms: time for the mail server to accept one mail
export const REMINDER_LEASE_MS = 240_000; // ms: another process may take over a reminder after this time; the first needs time to send it and, with Postgres away, to store the result
export const REMINDER_RETRY_MS = 60_000; // ms: pause before the service retries a reminder that it could not read, or whose user has new rights
export const REFUSED_ADDRESS_RETRY_MS = 3_600_000; // ms: pause between attempts at an address that the mail server refuses permanently
export const REMINDER_RESULT_TIMEOUT_MS = 600_000; // ms: time to store the result of a sent mail in Postgres
export const REMINDER_RESULT_RETRY_PAUSES_MS = [200, 2_000] as const; // ms, first and longest: pauses between attempts to store the result of a sent mail
export const MAIL_SERVER_RETRY_PAUSES_MS = [1_000, 60_000] as const; // ms, first and longest: pauses while the mail server is unreachable
export const SMTP_CONNECT_TIMEOUT_MS = 15_000; // ms: time for a connection to the mail server

/* Postgres */
export const STATEMENT_GRACE_MS = 1_000; // ms: Postgres counts as unreachable if a statement exceeds DATABASE_STATEMENT_TIMEOUT_MS by this time
export const STATEMENT_CANCEL_MARGIN_MS = 500; // ms: the service cancels a statement this long before STATEMENT_GRACE_MS ends, so that Postgres can still report the result
export const POSTGRES_CONNECT_TIMEOUT_MS = 5_000; // ms: time for a new connection to Postgres, independent of the statement timeout
export const POOL_IDLE_CONNECTION_MS = 30_000; // ms: the pool closes a connection that was unused for this time
export const TCP_KEEP_ALIVE_MS = 10_000; // ms: TCP probes a silent connection after this time
export const TRANSACTIONS_PER_USER = 4; // transactions: transactions of one caller that a process runs at the same time; further ones of the same caller wait
export const TRANSACTION_TURN_TIMEOUT_MS = 5_000; // ms: a transaction that waits longer for the caller's other transactions gets 429
export const MAX_WAITING_TRANSACTIONS_PER_USER = 100; // transactions: transactions of one caller that wait at a time, as many as an ordinary caller may request in a minute; a further one gets 429 at once
export const WAITING_REQUESTS_PER_CONNECTION = 100; // requests: requests that may wait for each connection of the pool
export const POOL_CLOSE_TIMEOUT_MS = 500; // ms: at shutdown, time for connections that are already closing
export const POSTGRES_CLOSE_TIMEOUT_MS = 1_000; // ms: time for Postgres to close a connection that ended normally
export const CANCEL_REQUEST_TIMEOUT_MS = 60_000; // ms: time for Postgres to close the connection of a cancel request; no request waits for it
export const PRIMARY_CHECK_TIMEOUT_MS = 2_000; // ms: time for a server to report whether it accepts writes
export const PRIMARY_SEARCH_PAUSE_MS = 200; // ms: pause between two searches for the primary while no server accepts writes
export const DEADLOCK_RETRY_PAUSE_MS = 50; // ms: pause before the service repeats a transaction that a deadlock rolled back, so that the other transactions finish first
export const MAX_PREPARED_STATEMENTS = 500; // statements: prepared statements of a connection, tens of kilobytes each; all endpoints together need some 300
export const CACHED_STATEMENT_NAMES = 2_000; // texts: statement texts whose names are in the cache
export const LIST_STREAM_PAGE_ROWS = 250; // rows: rows of one page of a streamed list; small enough for the memory, large enough for the round trips
export const LIST_STREAM_PAGE_MS = 30_000; // ms: time for the reader of a streamed list to ask for the next page
export const LIST_STREAM_TIMEOUT_MS = 300_000; // ms: time for a whole streamed list
export const LIST_STREAM_IDLE_MS = 30_000; // ms: Postgres ends the transaction of a hanging process this long after the time of a page
export const INTERNAL_STATEMENT_TIMEOUT_MS = 2_000; // ms: statement timeout of connections that serve no request; a slow result is useless to them
export const ADMIN_CONNECT_TIMEOUT_MS = 10_000; // ms: time for a command to connect to Postgres
export const ADMIN_RESPONSE_TIMEOUT_MS = 10_000; // ms: Postgres counts as unreachable for a command if a quick query takes longer
export const ADMIN_CLOSE_TIMEOUT_MS = 5_000; // ms: time for a command to close its connection
export const DEPLOY_LOCK_WAIT_MS = 120_000; // ms: time that each step of a deploy or an archive waits for other sessions
export const DEPLOY_LOG_BLOCKERS_MS = 5_000; // ms: a waiting deploy logs the blocking sessions after this time
export const DEPLOY_UNBLOCKED_MS = 5_000; // ms: a wait counts as over after this time without blocking sessions; retries of a lock pause for less
export const DEPLOY_BLOCKERS_LOG_PAUSE_MS = 30_000; // ms: pause between two log lines about blocking sessions
export const DEPLOY_LOCK_RETRY_PAUSES_MS = [50, 2_000] as const; // ms, first and longest: random pauses before a deploy retries a lock
export const DEPLOY_RACE_RETRIES = 10; // attempts: retries of a catalog change that fails because of another deploy; after more failures the cause must be different
export const AUDIT_LOCK_TIMEOUT_MS = 2_000; // ms: db:audit, audit.findings, audit.drift and audit.accepted wait this long for a lock, then name who holds it and what was not read
export const AUDIT_ARCHIVE_PAGE_ROWS = 2_000; // records: audit records that the archive reads at once, some megabytes

/* Jobs */
export const RETENTION_LOG_PAUSE_MS = 86_400_000; // ms: pause between two log lines about audit records older than their retention
export const HOUSEKEEPING_PAUSE_MS = 600_000; // ms: pause between two rounds that delete old rows and create the next partitions of the audit log
export const UNASSIGNMENT_PAUSE_MS = 5_000; // ms: pause between two rounds that remove users from claims of clients that the users lost
export const ROWS_OF_ONE_DELETE = 500; // rows: rows that one statement deletes, so that a round locks few rows at a time
export const CONTENT_REMOVALS_AT_ONCE = 100; // contents: contents that the service removes from the store at a time

/* Audit records of refusals */
export const REFUSAL_RECORD_TIMEOUT_MS = 1_000; // ms: a refusal waits this long for Postgres to store its record
export const REFUSAL_RECORD_DISK_TIMEOUT_MS = 2_000; // ms: a refusal then waits this long for the disk to store its record
export const MAX_WAITING_REFUSAL_RECORDS = 10_000; // refusals: refusal records that may wait for Postgres, and as many for the disk; each takes some kilobytes of memory
export const REFUSAL_RECORDS_PER_STATEMENT = 500; // refusals: refusal records that one statement stores, in some hundred milliseconds at most
export const REFUSAL_RECORD_RETRY_PAUSES_MS = [250, 2_000] as const; // ms, first and longest: pauses before the service retries to store refusal records in Postgres
export const REFUSAL_MAINTENANCE_PAUSE_MS = 10_000; // ms: pause between two readings of the database's clock, and between two searches for files of ended processes
export const REFUSAL_CLOCK_READING_MAX_MS = 500; // ms: the service ignores a reading of the database's clock that took longer, because it cannot know when the database read it
export const REFUSAL_REASON_CHARACTERS = 1_900; // characters: the reason of a refusal; an audit record has space for 2,000
export const MAX_SPOOL_BYTES = 256 * 1024 * 1024; // bytes: refusal records on disk, about 600 bytes each; when the space is full, refused requests get 503
export const SPOOL_FILE_BYTES = 1024 * 1024; // bytes: one file of refusal records, which the service reads and removes as a whole
export const SPOOL_CLOSE_TIMEOUT_MS = 1_000; // ms: at shutdown, time to close the files of refusal records; every record is on the disk already
export const MAX_SPOOL_PROCESSES = 100; // processes: processes that may share one DATA_DIR; a larger number would be an accident

/* Documents */
export const DOCUMENT_STORE_RESPONSE_TIMEOUT_MS = 4_500; // ms: time for a response of the document store; a download asks twice within ten seconds
export const UPLOAD_CHUNK_BYTES = 256 * 1024; // bytes: the service writes or reads an upload in pieces of this size
export const DOCUMENT_STORE_STALL_TIMEOUT_MS = 8_000; // ms: the service gives up a transfer that has moved no byte for this time
export const DOCUMENT_STORE_CONNECT_TIMEOUT_MS = 3_000; // ms: time for a connection to an S3 store
export const PRESIGNED_URL_LIFETIME_S = 60; // s: a presigned download address of the store is valid for this time
export const PDF_HEADER_BYTES = 1_024; // bytes: the first bytes of a file, one of which begins a PDF's header; PDF readers look as far
export const MAX_MAIL_HEAD_BYTES = 16 * 1024; // bytes: the first bytes of a mail, which show that it is one
export const MAX_ZIP_DOCUMENTS = 1_000; // documents: documents of one ZIP archive; a claim has about ten
export const MAX_ZIP_FILE_STEM_BYTES = 180; // bytes: a file name in a ZIP archive, without its extension; file systems take 255, and the service may add a number
export const MAX_ZIP_FILE_EXTENSION_BYTES = 40; // bytes: the extension of a file name in a ZIP archive, with its dot
export const CONCURRENT_ZIP_ARCHIVES = 8; // archives: ZIP archives that the service sends at the same time, one for each caller at most; each has one content open
export const CONCURRENT_ZIP_CHECKS = 8; // contents: contents of one ZIP archive whose existence the service checks at the same time, before the archive begins
export const MAX_NAMED_LOST_DOCUMENTS = 10; // documents: lost documents that the refusal of a ZIP archive names
export const ZIP_BLOCK_BYTES = 32 * 1024; // bytes: bytes of a file behind each block header in a ZIP archive; a block has at most 65,535
export const ABANDONED_UPLOAD_AGE_MS = 3_600_000; // ms: the service treats an older upload file as left by a crash; every upload ends sooner
export const DOCUMENT_CHECK_PAGE_ROWS = 1_000; // documents: documents that documents:check reads from Postgres at once
export const CONCURRENT_DOCUMENT_CHECKS = 8; // contents: contents that documents:check reads at the same time
export const RECHECKED_DOCUMENT_CONTENTS = 50; // contents: differing contents that documents:check checks again at once
export const MAX_COMPOUND_FILE_SECTORS = 1_000; // sectors: directory sectors of a .doc or .xls file; real files have fewer, so a longer chain is a loop

/* The process, its log and its figures */
export const SHUTDOWN_TIMEOUT_MS = 9_000; // ms: at shutdown, time for all parts of the process; supervisors often kill after ten seconds
export const SHUTDOWN_ABORT_MS = 100; // ms: at shutdown, time for a part of the process to abort its work once its time for a normal end is over
export const SHUTDOWN_FORCED_EXIT_MS = 9_800; // ms: the process ends after this time even if a part hangs, for example on an unreachable disk
export const REPEATED_SIGNAL_MS = 500; // ms: a second signal within this time counts as the same Ctrl-C, because both the terminal and npm send it
export const FOREIGN_DATABASE_CHECK_MS = 2_000; // ms: a start waits this long for the database, to learn whether it is the service's own
export const SHUTDOWN_DATABASE_CHECK_MS = 500; // ms: at shutdown, time for the first check of the database if it still runs
export const LOG_TEXT_CHARACTERS = 1_000; // characters: a text in the log
export const LOG_STACK_CHARACTERS = 4_000; // characters: a stack trace in the log, some frames
export const MAX_LOGGED_PROPERTIES = 30; // members: logged members of an object or a list
export const MAX_LOGGED_DEPTH = 4; // levels: logged nesting of an object
export const MAX_METRICS_CONNECTIONS = 20; // connections: connections of metrics collectors; a new one closes the oldest
export const METRICS_CONNECTION_TIMEOUT_MS = 10_000; // ms: one connection of a metrics collector, even if the collector reads slowly
export const METRICS_CACHE_MS = 1_000; // ms: the service serves the same metrics again for this time
export const METRIC_SOURCE_TIMEOUT_MS = 1_000; // ms: time for a part of the process to return a metric; collectors wait for ten seconds
export const MAX_TIMED_TRANSACTIONS = 20; // transactions: the service keeps the times of this many transactions of a request; only an import has more
export const TRACES_EXPORT_TIMEOUT_MS = 1_000; // ms: time for the collector to accept traces
export const TRACES_LOG_PAUSE_MS = 60_000; // ms: pause between two log lines about a collector that accepts no traces

/* The embedded Postgres */
export const EMBEDDED_POSTGRES_CREATE_TIMEOUT_MS = 300_000; // ms: time to create the embedded Postgres cluster, which usually takes seconds
export const EMBEDDED_POSTGRES_START_TIMEOUT_MS = 120_000; // ms: time for the embedded Postgres to start
export const EMBEDDED_POSTGRES_PROBE_TIMEOUT_MS = 5_000; // ms: time for the embedded Postgres to answer a probe
export const EMBEDDED_POSTGRES_STOP_TIMEOUT_MS = 8_000; // ms: time for the embedded Postgres to stop
export const LEFTOVER_POSTGRES_STOP_TIMEOUT_MS = 15_000; // ms: time for a Postgres of an earlier process to stop
export const LEFTOVER_POSTGRES_POLL_MS = 20; // ms: pause between two checks whether the Postgres of an earlier process has stopped
export const EMBEDDED_POSTGRES_RESTART_PAUSES_MS = [250, 10_000] as const; // ms, first and longest: pauses before the service restarts an embedded Postgres that ended
export const OCCUPIED_CLUSTER_ATTEMPTS = 40; // attempts: attempts to start while another process uses the cluster
export const OCCUPIED_CLUSTER_RETRY_MS = 250; // ms: pause between two attempts to start while another process uses the cluster
export const EMBEDDED_POSTGRES_LOG_CHECK_PAUSE_MS = 60_000; // ms: pause between two checks of the size of the embedded Postgres's log
export const EMBEDDED_POSTGRES_LOG_BYTES = 10 * 1024 * 1024; // bytes: at this size the embedded Postgres's log begins a new file; the previous file is kept
export const EMBEDDED_POSTGRES_MESSAGE_CHARACTERS = 2_000; // characters: the service shows this much of a message of Postgres's programs
export const DEMONSTRATION_PASSWORDS_TIMEOUT_MS = 120_000; // ms: time to hash the passwords of the demonstration, perhaps on a busy machine

/* The embedded identity provider */
export const MAX_LOGIN_EMAIL_CHARACTERS = 255; // characters: an email that the login looks up
export const MAX_LOGIN_FAILURES = 10; // failures: failed logins of an account from one address in LOGIN_FAILURE_WINDOW_MS
export const LOGIN_FAILURE_WINDOW_MS = 900_000; // ms: the time in which failed logins count, from the first one
export const MAX_COUNTED_LOGIN_PAIRS = 10_000; // accounts and addresses: pairs of account and address whose failed logins are counted at a time
export const EMBEDDED_PROVIDER_TOKEN_S = 900; // s: lifetime of a token, and of a login page
export const EMBEDDED_PROVIDER_LOGIN_S = 43_200; // s: lifetime of a login with all its tokens
export const EMBEDDED_PROVIDER_CONSENT_S = 2_592_000; // s: lifetime of a user's consent to an application
