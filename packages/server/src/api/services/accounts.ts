// Accounts: initial setup, registration and login.
import type { Caller } from '../../core/domain/access.ts';
import { fail } from '../../core/domain/errors.ts';
import { defaultPlanId, type Plan } from '../../core/domain/quota.ts';
import type { Clock } from '../../core/lib/clock.ts';
import { type Ids, secretToken, sha256 } from '../../core/lib/ids.ts';
import { RateLimiter } from '../../core/lib/rate-limiter.ts';
import type { AccountStore, User } from '../../core/store/accounts.ts';
import type { Database } from '../../core/store/database.ts';
import type { SettingStore } from '../../core/store/settings.ts';
import { type Authenticator, sessionSlidingMs } from '../../core/services/authenticator.ts';
import { hashPassword, verifyPassword } from './password.ts';

/** Lifetime of a one-time sign-in link. */
const oneTimeMs = 10 * 60_000;

export interface Client {
  ip: string;
  userAgent: string;
}

/** A user and its plan, as shown to the user. */
export interface Account {
  user: User;
  plan: Plan;
}

export interface Login extends Account {
  token: string;
  expiresAt: number;
}

interface Deps {
  database: Database;
  accounts: AccountStore;
  authenticator: Pick<Authenticator, 'forget'>;
  settings: SettingStore;
  clock: Clock;
  ids: Ids;
  /** Memory (MB) that all plans may promise while anyone can register; 0 = nobody can. */
  registrationLimitMb: number;
  /** Sign-in attempts per account and minute. */
  rateSignIn: number;
}

export class AccountsService {
  readonly #deps: Deps;
  /** Hash of a random password, so that an unknown email takes as long as a wrong password. */
  #decoy: Promise<string> | undefined;
  readonly #attempts: RateLimiter;
  /** By hash. In memory only: a link does not outlive the process that printed it. */
  readonly #oneTimes = new Map<string, { userId: string; until: number }>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#attempts = new RateLimiter(deps.rateSignIn, deps.clock);
  }

  /**
   * A one-time token for the first admin, in place of the previous one; null when accounts exist.
   */
  async makeSetupToken(): Promise<string | null> {
    if ((await this.#deps.accounts.listUsers()).length > 0) return null;
    const token = secretToken();
    await this.#deps.settings.set('setup_token_hash', sha256(token));
    return token;
  }

  /** Creates the first admin; 404 once any account exists. */
  async setup(token: string, email: string, password: string, client: Client): Promise<Login> {
    const passwordHash = await hashPassword(password);
    return this.#deps.database.transaction(async () => {
      if ((await this.#deps.accounts.listUsers()).length > 0) throw fail.notFound();
      if ((await this.#deps.settings.get('setup_token_hash')) !== sha256(token)) throw fail.inviteInvalid();
      await this.#deps.settings.remove('setup_token_hash');
      return this.#login(await this.#insert(email, passwordHash, 'admin'), client);
    });
  }

  async register(email: string, password: string, client: Client): Promise<Login> {
    const { database, accounts, registrationLimitMb } = this.#deps;
    if (registrationLimitMb === 0) throw fail.registrationClosed();
    const passwordHash = await hashPassword(password);
    const user = await database.transaction(async () => {
      const inserted = await this.#insert(email, passwordHash, 'user');
      if ((await accounts.promisedMemoryMb()) > registrationLimitMb) throw fail.registrationClosed();
      return inserted;
    });
    return this.#login(user, client);
  }

  async create(email: string, password: string, role: User['role'], planId = defaultPlanId): Promise<User> {
    const passwordHash = await hashPassword(password);
    return this.#deps.database.transaction(() => this.#insert(email, passwordHash, role, planId));
  }

  async login(email: string, password: string, client: Client): Promise<Login> {
    const user = await this.#deps.accounts.findUser({ email: email.toLowerCase() });
    await this.#countAttempt(email.toLowerCase(), user, client);
    this.#decoy ??= hashPassword(secretToken());
    const right = await verifyPassword(password, user?.passwordHash ?? (await this.#decoy));
    if (!user || !right) throw fail.invalidCredentials();
    return this.#login(user, client);
  }

  /** Issues a session token without a password, for the operator of the machine. */
  async issueToken(userId: string): Promise<Login> {
    const user = await this.#deps.accounts.findUser({ id: userId });
    if (!user) throw fail.unauthorized();
    return this.#login(user, { ip: '', userAgent: 'botel admin token' });
  }

  /** Creates a token that signs `userId` in once, within ten minutes. */
  makeOneTimeToken(userId: string): string {
    const now = this.#deps.clock.now();
    for (const [hash, { until }] of this.#oneTimes) if (until <= now) this.#oneTimes.delete(hash);
    const token = secretToken();
    this.#oneTimes.set(sha256(token), { userId, until: now + oneTimeMs });
    return token;
  }

  /** Signs in with a one-time token, which is consumed by the first try. */
  async redeemOneTime(token: string, client: Client): Promise<Login> {
    const hash = sha256(token);
    const found = this.#oneTimes.get(hash);
    this.#oneTimes.delete(hash);
    if (!found || found.until <= this.#deps.clock.now()) throw fail.inviteInvalid();
    const user = await this.#deps.accounts.findUser({ id: found.userId });
    if (!user) throw fail.inviteInvalid();
    return this.#login(user, client);
  }

  async logout(caller: Caller): Promise<void> {
    await this.#deps.accounts.removeSession(caller.sessionId);
    this.#deps.authenticator.forget(caller.userId);
  }

  /**
   * The account with this password. Fails like a login, and counts as an attempt; before acting on
   * it, call `requireUnchanged`.
   */
  async requirePassword(caller: Caller, password: string, client: Client): Promise<User> {
    const { user } = await this.me(caller);
    await this.#countAttempt(user.email, user, client);
    if (!(await verifyPassword(password, user.passwordHash))) throw fail.invalidCredentials();
    return user;
  }

  /**
   * Call in the transaction that acts on a verified account: meanwhile it may have been suspended,
   * or got a new password.
   */
  async requireUnchanged({ id, passwordHash }: User): Promise<void> {
    const user = await this.#deps.accounts.findUser({ id });
    if (user?.passwordHash !== passwordHash) throw fail.invalidCredentials();
    if (user.suspended) throw fail.accountSuspended();
  }

  async me(caller: Caller): Promise<Account> {
    const user = await this.#deps.accounts.findUser({ id: caller.userId });
    if (!user) throw fail.unauthorized();
    return { user, plan: await this.#planOf(user) };
  }

  /**
   * Per account over all addresses, known or not. An address with a session of the account has its
   * own count, so that strangers can't lock out the owner.
   */
  async #countAttempt(email: string, user: User | null, { ip }: Client): Promise<void> {
    const isKnown = await this.#deps.accounts.hasSessionFrom(user?.id ?? '', ip, this.#deps.clock.now());
    const rate = this.#attempts.take(isKnown ? `${email} ${ip}` : email);
    if (!rate.isAllowed) throw fail.rateLimited(rate.retrySeconds);
  }

  async #insert(email: string, passwordHash: string, role: User['role'], planId = defaultPlanId): Promise<User> {
    const lowered = email.toLowerCase();
    if (await this.#deps.accounts.findUser({ email: lowered })) throw fail.emailTaken();
    const user: User = {
      id: this.#deps.ids.uuid(),
      email: lowered,
      passwordHash,
      role,
      planId,
      suspended: false,
      leaving: false,
      createdAt: this.#deps.clock.now(),
    };
    await this.#deps.accounts.insertUser(user);
    return user;
  }

  async #login(user: User, client: Client): Promise<Login> {
    const now = this.#deps.clock.now();
    const token = `sess_${secretToken()}`;
    const expiresAt = now + sessionSlidingMs;
    await this.#deps.database.transaction(async () => {
      await this.requireUnchanged(user);
      await this.#deps.accounts.insertSession({
        id: this.#deps.ids.uuid(),
        userId: user.id,
        tokenHash: sha256(token),
        ip: client.ip,
        userAgent: client.userAgent.slice(0, 200),
        createdAt: now,
        lastUsedAt: now,
        expiresAt,
      });
    });
    return { token, expiresAt, user, plan: await this.#planOf(user) };
  }

  async #planOf(user: User): Promise<Plan> {
    const plan = await this.#deps.accounts.findPlan(user.planId);
    if (!plan) throw new Error('A user has a plan that does not exist');
    return plan;
  }
}
