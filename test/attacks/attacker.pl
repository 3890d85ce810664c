# A program of a bot that turns against Botel's files: swaps entries of its home for links and pipes, as fast as it can and in
# one step each (renameat2 with RENAME_EXCHANGE). Arguments: number of that call, then per pair: name, other name, kind
# (folder, file), target of the link, or `pipe`. Prints the number of swaps when it is told to end.
use strict;
use POSIX ();

my ($call, @rest) = @ARGV;
my @pairs;
push @pairs, [splice @rest, 0, 4] while @rest;

my $swaps = 0;
my $ended = 0;
my $junk = 0;
$SIG{TERM} = sub { $ended = 1 };

sub plain {
    my ($path, $kind) = @_;
    if ($kind eq 'folder') {
        mkdir $path;
        put("$path/f");
        mkdir "$path/sub";
        put("$path/sub/f");
    }
    else { put($path) }
}

sub put {
    my ($path) = @_;
    # Never through a link: the bot may write its own files only.
    sysopen(my $file, $path, POSIX::O_WRONLY | POSIX::O_CREAT | POSIX::O_EXCL) or return;
    print $file "inside\n";
    close $file;
}

sub odd {
    my ($path, $target) = @_;
    $target eq 'pipe' ? POSIX::mkfifo($path, 0666) : symlink $target, $path;
}

sub is_odd { my ($path) = @_; return -l $path || -p $path }

# The API moves, deletes and replaces what is swapped: puts back what a pair is made of.
sub mend {
    my ($one, $other, $kind, $target) = @{ $_[0] };
    lstat $one or plain($one, $kind);
    lstat $other or odd($other, $target);
    return if is_odd($one) != is_odd($other);
    rename $other, "junk-" . $junk++ % 50;
    is_odd($one) ? plain($other, $kind) : odd($other, $target);
}

until ($ended) {
    mend($_) for @pairs;
    for my $turn (1 .. 20) {
        for my $pair (@pairs) {
            my ($one, $other) = @$pair;
            $swaps++ if syscall($call, -100, $one, -100, $other, 2) == 0;
        }
        # Callers need the processor too.
        select undef, undef, undef, 0.0002;
    }
}
print "$swaps\n";
