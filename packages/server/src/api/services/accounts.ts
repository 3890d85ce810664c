// Accounts: first set-up, registration, login, and who stands behind a token.
import type { Caller } from '../../core/domain/access.ts';
import { fail } from '../../core/domain/errors.ts';
import type { Plan } from '../../core/domain/quota.ts';
import type { Clock } from '../../core/lib/clock.ts';
import { type Ids, secretToken, sha256 } from '../../core/lib/ids.ts';
import { RateLimiter } from '../../core/lib/rate-limiter.ts';
import type { AccountStore, User } from '../../core/store/accounts.ts';
import type { Database } from '../../core/store/database.ts';
import type { SettingStore } from '../../core/store/settings.ts';
import { hashPassword, verifyPassword } from './password.ts';

const day = 24 * 60 * 60 * 1000;
const slidingMs = 30 * day;
const longestMs = 90 * day;
/** How long a token's owner is remembered without asking the store; bounds how late a removal elsewhere is noticed. */
const callerCacheMs = 5_000;
const callerCacheSize = 10_000;
const touchEveryMs = 60_000;
/** A link that signs in once is good for so long. */
const oneTimeMs = 10 * 60_000;

/** The plan that everybody starts with. */
export const defaultPlanId = 'default';

export interface Client {
  ip: string;
  userAgent: string;
}

/** A user with its plan, as shown to itself. */
export interface Account {
  user: User;
  plan: Plan;
}

export interface Login extends Account {
  token: string;
  expiresAt: number;
}

interface Parts {
  database: Database;
  accounts: AccountStore;
  settings: SettingStore;
  clock: Clock;
  ids: Ids;
  registration: 'closed' | 'open';
  /** Attempts to sign in into an account, per minute. */
  rateSignIn: number;
}

export class AccountsService {
  readonly #parts: Parts;
  readonly #callers = new Map<string, { caller: Caller; until: number }>();
  /** Hash of a password that nobody has: an unknown email takes as long as a wrong password. */
  #decoy: Promise<string> | undefined;
  readonly #attempts: RateLimiter;
  /** By hash; kept in memory only: a link does not outlive the process that printed it. */
  readonly #oneTimes = new Map<string, { userId: string; until: number }>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#attempts = new RateLimiter(parts.rateSignIn, parts.clock);
  }

  /** A one-time token for the first admin, or null when accounts exist. A new one replaces the last. */
  async makeSetupToken(): Promise<string | null> {
    if ((await this.#parts.accounts.listUsers()).length > 0) return null;
    const token = secretToken();
    await this.#parts.settings.set('setup_token_hash', sha256(token));
    return token;
  }

  /** Makes the first admin; 404 once any account exists. */
  async setup(token: string, email: string, password: string, client: Client): Promise<Login> {
    const passwordHash = await hashPassword(password);
    return this.#parts.database.transaction(async () => {
      if ((await this.#parts.accounts.listUsers()).length > 0) throw fail.notFound();
      if ((await this.#parts.settings.get('setup_token_hash')) !== sha256(token)) throw fail.inviteInvalid();
      await this.#parts.settings.remove('setup_token_hash');
      return this.#login(await this.#insert(email, passwordHash, 'admin'), client);
    });
  }

  async register(email: string, password: string, client: Client): Promise<Login> {
    if (this.#parts.registration !== 'open') throw fail.registrationClosed();
    return this.#login(await this.create(email, password, 'user'), client);
  }

  /** Adds an account. */
  async create(email: string, password: string, role: User['role'], planId = defaultPlanId): Promise<User> {
    const passwordHash = await hashPassword(password);
    return this.#parts.database.transaction(() => this.#insert(email, passwordHash, role, planId));
  }

  async login(email: string, password: string, client: Client): Promise<Login> {
    const user = await this.#parts.accounts.findUser({ email: email.toLowerCase() });
    await this.#countAttempt(email.toLowerCase(), user, client);
    this.#decoy ??= hashPassword(secretToken());
    const right = await verifyPassword(password, user?.passwordHash ?? (await this.#decoy));
    if (!user || !right) throw fail.invalidCredentials();
    if (user.suspended) throw fail.accountSuspended();
    return this.#login(user, client);
  }

  /** A token for `user` without asking for a password: for the operator at the machine. */
  async issueToken(userId: string): Promise<Login> {
    const user = await this.#parts.accounts.findUser({ id: userId });
    if (!user) throw fail.unauthorized();
    return this.#login(user, { ip: '', userAgent: 'botel admin token' });
  }

  /** A token that signs `userId` in once, within ten minutes. */
  makeOneTimeToken(userId: string): string {
    const now = this.#parts.clock.now();
    for (const [hash, { until }] of this.#oneTimes) if (until <= now) this.#oneTimes.delete(hash);
    const token = secretToken();
    this.#oneTimes.set(sha256(token), { userId, until: now + oneTimeMs });
    return token;
  }

  /** Signs in by such a token; it is gone with the first try. */
  async redeemOneTime(token: string, client: Client): Promise<Login> {
    const hash = sha256(token);
    const found = this.#oneTimes.get(hash);
    this.#oneTimes.delete(hash);
    if (!found || found.until <= this.#parts.clock.now()) throw fail.inviteInvalid();
    const user = await this.#parts.accounts.findUser({ id: found.userId });
    if (!user) throw fail.inviteInvalid();
    if (user.suspended) throw fail.accountSuspended();
    return this.#login(user, client);
  }

  async logout(caller: Caller): Promise<void> {
    await this.#parts.accounts.removeSession(caller.sessionId);
    this.forgetCaller(caller.userId);
  }

  /** The store is asked anew for whoever comes with a token of this user. */
  forgetCaller(userId: string): void {
    for (const [hash, { caller }] of this.#callers) if (caller.userId === userId) this.#callers.delete(hash);
  }

  /** Fails as a login does, and counts as one. */
  async requirePassword(caller: Caller, password: string, client: Client): Promise<void> {
    const { user } = await this.me(caller);
    await this.#countAttempt(user.email, user, client);
    if (!(await verifyPassword(password, user.passwordHash))) throw fail.invalidCredentials();
  }

  async me(caller: Caller): Promise<Account> {
    const user = await this.#parts.accounts.findUser({ id: caller.userId });
    if (!user) throw fail.unauthorized();
    return { user, plan: await this.#planOf(user) };
  }

  /** The caller behind a token, or null. A removed session is noticed within 5 s. */
  async callerOf(token: string): Promise<Caller | null> {
    const hash = sha256(token);
    const now = this.#parts.clock.now();
    const cached = this.#callers.get(hash);
    if (cached && cached.until > now) return cached.caller;
    this.#callers.delete(hash);
    const caller = await this.#lookUp(hash, now);
    if (caller) this.#remember(hash, caller, now);
    return caller;
  }

  /** Whether the caller's session still stands; asked again by long streams. */
  async stillValid(caller: Caller): Promise<boolean> {
    const user = await this.#parts.accounts.findUser({ id: caller.userId });
    if (!user || user.suspended) return false;
    return this.#parts.accounts.hasSession(caller.sessionId, this.#parts.clock.now());
  }

  /**
   * Attempts on an account are counted over all addresses, known email or not. An address that the account is signed in
   * from has a count of its own: strangers can't lock the owner out there.
   */
  async #countAttempt(email: string, user: User | null, { ip }: Client): Promise<void> {
    const isKnown = await this.#parts.accounts.hasSessionFrom(user?.id ?? '', ip, this.#parts.clock.now());
    const rate = this.#attempts.take(isKnown ? `${email} ${ip}` : email);
    if (!rate.isAllowed) throw fail.rateLimited(rate.retrySeconds);
  }

  async #lookUp(hash: string, now: number): Promise<Caller | null> {
    const session = await this.#parts.accounts.findSession(hash);
    if (!session || session.expiresAt <= now) return null;
    const user = await this.#parts.accounts.findUser({ id: session.userId });
    if (!user || user.suspended) return null;
    if (now - session.lastUsedAt >= touchEveryMs) {
      const expiresAt = Math.min(now + slidingMs, session.createdAt + longestMs);
      // On a full disk, or beside a process that keeps the database, callers still read; the next look notes it.
      void this.#parts.accounts.touchSession(session.id, now, expiresAt).catch(() => {});
    }
    return { userId: user.id, sessionId: session.id, role: user.role };
  }

  #remember(hash: string, caller: Caller, now: number): void {
    if (this.#callers.size >= callerCacheSize) this.#callers.clear();
    this.#callers.set(hash, { caller, until: now + callerCacheMs });
  }

  async #insert(email: string, passwordHash: string, role: User['role'], planId = defaultPlanId): Promise<User> {
    const lowered = email.toLowerCase();
    if (await this.#parts.accounts.findUser({ email: lowered })) throw fail.emailTaken();
    const user: User = {
      id: this.#parts.ids.uuid(),
      email: lowered,
      passwordHash,
      role,
      planId,
      suspended: false,
      leaving: false,
      createdAt: this.#parts.clock.now(),
    };
    await this.#parts.accounts.insertUser(user);
    return user;
  }

  async #login(user: User, client: Client): Promise<Login> {
    const now = this.#parts.clock.now();
    const token = `sess_${secretToken()}`;
    const expiresAt = now + slidingMs;
    await this.#parts.accounts.insertSession({
      id: this.#parts.ids.uuid(),
      userId: user.id,
      tokenHash: sha256(token),
      ip: client.ip,
      userAgent: client.userAgent.slice(0, 200),
      createdAt: now,
      lastUsedAt: now,
      expiresAt,
    });
    return { token, expiresAt, user, plan: await this.#planOf(user) };
  }

  async #planOf(user: User): Promise<Plan> {
    const plan = await this.#parts.accounts.findPlan(user.planId);
    if (!plan) throw new Error('A user has a plan that does not exist');
    return plan;
  }
}
