/**
 * The 3,000 commonest passwords of six characters and more, and behind them what is missing to the
 * 3,000 commonest of eight and more, each the commonest first. Out of the frequency list of zxcvbn
 * 4.4.2 (Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc.; MIT licence), which was counted in
 * published leaks. In small letters.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  `123456 password 12345678 qwerty 123456789 111111 1234567 dragon 123123 baseball abc123 football monkey letmein shadow master 696969 mustang
666666 qwertyuiop 123321 1234567890 superman 654321 1qaz2wsx 7777777 fuckyou qazwsx jordan 123qwe 000000 killer trustno1 hunter harley
zxcvbnm asdfgh buster batman soccer tigger charlie sunshine iloveyou fuckme ranger hockey computer starwars asshole pepper klaster 112233
zxcvbn freedom princess maggie ginger 11111111 131313 cheese 159753 summer chelsea dallas biteme matrix yankees corvette austin access
thunder merlin secret diamond hammer fucker 1234qwer silver gfhjkm internet samantha golfer scooter orange cookie q1w2e3r4t5 maverick sparky
phoenix mickey bigdog snoopy guitar whatever chicken camaro mercedes peanut ferrari falcon cowboy welcome samsung steelers smokey dakota
arsenal boomer eagles tigers marina nascar booboo gateway yellow porsche monster spider diablo hannah bulldog junior london purple compaq
lakers iceman qwer1234 hardcore cowboys banana ncc1701 boston tennis q1w2e3r4 coffee scooby 123654 nikita yamaha mother barney brandy
chester fuckoff oliver player forever rangers midnight chicago bigdaddy redsox badboy fender jasper slayer rabbit natasha marine bigdick
wizard marlboro raiders prince casper fishing flower jasmine iwantu panties adidas winter winner gandalf password1 ghbdtn 1q2w3e4r golden
cocacola jordan23 winston madison angels panther blowme sexsex bigtits spanky sophie asdfasdf thx1138 toyota canada 12344321 blowjob 8675309
muffin liverpoo apples qwerty123 passw0rd abcd1234 pokemon 123abc slipknot qazxsw 123456a scorpion qwaszx butter startrek rainbow asdfghjkl
newyork redskins gemini cameron qazwsxedc florida liverpool turtle sierra viking booger butthead doctor rocket 159357 dolphins captain
bandit jaguar packers pookie peaches 789456 dolphin helpme theman maxwell qwertyui shithead lovers maddog giants nirvana metallic hotdog
rosebud mountain warrior stupid elephant suckit success bond007 jackass alexis scorpio samson q1w2e3 azerty rush2112 driver freddy
1q2w3e4r5t sydney gators dexter red123 123456q 12345a creative voodoo trouble america nissan gunner garfield bullshit asdfghjk fucking
apollo 1qazxsw2 eminem legend airborne beavis brooklyn godzilla skippy 4815162342 kitten shelby beaver phantom asdasd xavier braves darkness
blink182 copper platinum qweqwe tomcat 01012011 bigboy 102030 animal police online 11223344 voyager lifehack 12qwaszx sniper 315475 trinity
blazer heaven snowball playboy loveme bubbles hooters cricket willow donkey topgun nintendo saturn destiny pakistan pumpkin digital sergey
redwings explorer private runner therock guinness lasvegas beatles 789456123 cassie christin qwerty1 celtic asdf1234 andrey broncos 007007
babygirl eclipse fluffy cartman michigan carolina testing alexande birdie pantera cherry vampire mexico dickhead buffalo genius montana
minecraft maximus flyers lovely stalker metallica doggie snickers speedy bronco lol123 paradise yankee horses magnum dreams 147258369
lacrosse goober enigma qwertyu scotty pimpin bollocks surfer poohbear genesis asd123 qweasdzxc racing hello1 hawaii eagle1 poopoo einstein
boobies 12345q bitches drowssap simple badger alaska action jester drummer 111222 spitfire forest maryjane champion diesel svetlana friday
hotrod 147258 lucky1 westside security google badass tester shorty thumper hitman mozart zaq12wsx reddog 010203 lizard a123456 123456789a
ruslan 1232323q scarface qwerty12 147852 a12345 buddha 420420 spirit money1 stargate qwe123 naruto mercury liberty 12345qwert semperfi
suzuki popcorn spooky marley scotland cherokee vikings simpsons rascal qweasd hummer loveyou michael1 patches russia jupiter penguin passion
cumshot vfhbyf vladimir sandman passport raider bastard 123789 infinity assman bulldogs fantasy sucker 1234554321 horney domino budlight
disney ironman usuckballz1 softball brutus redrum bigred mnbvcxz fktrcfylh karina marines digger kawasaki cougar fireman oksana monday
justice nigger wildcats tinker logitech dancer swordfis avalon everton alexandr motorola patriots hentai madonna pussy1 ducati colorado
connor juventus galore smooth freeuser warcraft boogie titanic wolverin elizabet arizona valentin saints accord test123 password123 christ
yfnfif stinky spiderma naughty chopper hello123 ncc1701d extreme skyline zombie pearljam 123qweasd froggy awesome vision pirate fylhtq
dreamer bullet predator empire 123123a kirill charlie1 panthers skipper nemesis rasdzv3 peekaboo rolltide cardinal psycho danger mookie
happy1 wanker chevelle manutd goblue 9379992 hobbes vegeta fyfcnfcbz 852456 picard 159951 windows loverboy victory vfrcbv bambam serega
123654789 turkey tweety galina hiphop rooster changeme berlin taurus suckme polina electric avatar 134679 maksim raptor alpha1 hendrix
newport bigcock brazil spring a1b2c3 madmax britney sublime darkside bigman wolfpack classic hercules ronaldo letmein1 1q2w3e 741852963
spiderman blizzard 123456789q cheyenne cjkysirj tiger1 wombat bubba1 pandora zxc123 holiday wildcat devils alabama 147852369 caesar buddy1
bondage pussycat pickle shaggy catch22 leather chronic a1b2c3d4 qqq111 qaz123 airplane kodiak freepass billybob sunset katana chocolat
snowman angel1 stingray firebird wolves zeppelin detroit pontiac gundam panzer vagina outlaw redhead tarheels greenday nastya 01011980
hardon engineer dragon1 hellfire serenity fireball lickme darkstar 1029384756 mustang1 124578 strike beauty pavilion 01012000 bobafett
dbrnjhbz bigmac bowling chris1 ytrewq natali pyramid welcome1 dodgers apache swimming whynot trooper fuckit defender precious 135790 packard
weasel popeye lucifer cancer icecream 142536 swordfish presario viktor rockstar blonde james1 wutang atlanta airforce thailand casino lennon
741852 hacker bluebird hawkeye 456123 theone catfish sailor goldfish nfnmzyf tattoo pervert barbie maxima nipples machine trucks wrangler
tornado lights cadillac bubble pegasus madman longhorn browns target 666999 qazwsx123 microsoft dilbert christia baller lesbian shooter
xfiles seattle qazqaz cthutq amateur prelude corona freaky malibu 123qweasdzxc assassin 246810 atlantis integra pussies iloveu lonewolf
dragons monkey1 unicorn software bobcat stealth peewee openup 753951 srinivas zaqwsx valentina shotgun trigger veronika bruins coyote
babydoll dollar lestat rocky1 hottie random butterfly wordpass smiley sweety chipper samurai devildog maddie soso123aljg mistress freedom1
flipper express hjvfirf cessna piglet polaris teacher montreal cookies wolfgang scully fatboy wicked tickle dfvgbh foobar transam fetish
oicu812 basketba toshiba hotstuff sunday gambit 31415926 impala stephani jessica1 hooker lancer knicks shamrock fuckyou2 stinger 314159
redneck deftones squirt siemens blaster trucker subaru renegade ibanez manson swinger reaper blondie mylove galaxy blahblah enterpri travel
1234abcd babylon5 indiana skeeter master1 ficken bigone sweetpea fucked trfnthbyf marino escort smitty bigfoot larisa trumpet spartan valera
babylon asdfghj yankees1 bigboobs stormy mister hamlet aardvark butterfl marathon paladin cavalier manchester skater indigo hornet buckeyes
01011990 indians karate hesoyam toronto diamonds chiefs buckeye 1qaz2wsx3edc highland hotsex charger redman passwor maiden drpepper pornstar
garden 12345678910 pencil sherlock timber thuglife insane jungle jesus1 aragorn 1a2b3c hamster david1 triumph techno lollol pioneer catdog
321654 fktrctq morpheus 141627 pascal shadow1 hobbit wetpussy erotic consumer blabla justme stones chrissy spartak goforit burger pitbull
adgjmptw italia barcelona hunting colors kissme virgin overlord pebbles sundance emerald racecar element 1478963 zipper alpine basket
goddess poison nipple sakura chichi huskers pussys q12345 ultimate ncc1701e blackie nicola rommel matthew1 caserta geronimo sammy1 trojan
123qwe123 philips nugget tarzan chicks aleksandr bassman trixie portugal anakin dodger bomber superfly madness q1w2e3r4t5y6 123asd fatcat
ybrbnf soldier warlock wrinkle1 desire sexual seminole alejandr 951753 11235813 westham andrei concrete access14 letmein2 ladybug christop
trombone tintin bluesky rhbcnbyf qazxswedc onelove cdtnkfyf vfvjxrf titans stallion hansolo blue22 smiles beagle panama kingkong flatron
inferno mongoose connect poiuyt snatch qawsed blessed rocker snakes bluemoon sex4me finger jamaica a1234567 mulder beetle fuckyou1 passat
immortal plastic 123454321 anthony1 whiskey dietcoke spunky magic1 monitor cactus exigen planet ripper spyder apple1 nolimit hollywoo sticky
trunks 1234321 14789632 pickles sailing bonehead ghbdtnbr charlott rubber 911911 112358 molly1 yomama hongkong jumper william1 ilovesex
faster unreal cumming memphis 1123581321 nylons legion sebastia shalom pentium geheim werewolf funtime ferret curious 555666 niners cantona
sprite philly pirates abgrtyu lollipop eternity boeing super123 sweets cooldude tottenha green1 jackoff stocking 7895123 moomoo martini
biscuit drizzt colt45 fossil makaveli snapper satan666 maniac salmon patriot verbatim shasta asdzxc shaved blackcat raistlin qwerty12345
punkrock cjkywt 01012010 waterloo crimson twister oxford musicman seinfeld biggie condor ravens megadeth wolfman cosmos sharks banshee
keeper foxtrot gn56gn56 skywalke velvet black1 sesame squirrel privet sunrise wolverine legolas grendel carrot frosty lvbnhbq blades
stardust qazwsxed 121314 coolio brownie groovy twilight daytona vanhalen pikachu peanuts licker hershey jericho intrepid 1234567a zaq123
lobster goblin punisher strider shogun kansas amadeus seven7 jason1 neptune showtime muscle oldman ekaterina rfrfirf getsome showme
111222333 obiwan skittles tanker maestro tarheel anubis hannibal newlife gothic fighter blue123 123456z princes thunder1 sabine 1q2w3e4r5t6y
python mirage clover tequila chelsea1 surfing delete potato chubby panasonic sandiego portland baggins fusion sooners blackdog buttons
californ moscow playtime mature 1a2b3c4d dagger stimpy asdf123 gangster warriors iverson chargers byteme swallow liquid lucky7 dingdong
nymets cracker mushroom 456852 crusader bigguy dkflbvbh bugger nimrod tazman stranger newpass doodle powder gotcha guardian dublin slapshot
septembe 147896325 pepsi1 milano grizzly woody1 knights photos nookie charly rammstein brasil 123321123 scruffy munchkin poopie 123098
kittycat latino walnut thegame viper1 1passwor kolobok picasso robert1 barcelon bananas trance auburn coltrane eatshit goodluck starcraft
wheels parrot postal wisdom gorilla katerina pass123 andrew1 shaney14 dumbass osiris fuck_inside oakland discover ranger1 spanking lonestar
meridian heather1 dookie stonecol megaman 192837465 rjntyjr ledzep lowrider 25802580 richard1 firefly griffey racerx paradox ghjcnj gangsta
zaq1xsw2 tacobell weezer sirius halflife buffett shiloh 123698745 vertigo sergei aliens sobaka keyboard kangaroo sinner soccer1 0.0.000
bonjour socrates chucky hotboy sprint sarah1 scarlet celica shazam formula1 sommer trebor qwerasdf mailcreated5240 bollox asshole1 fuckface
honda1 rebels vacation lexmark penguins 12369874 ragnarok formula 258456 tempest vfhecz tacoma qwertz colombia flames rockon prodigy wookie
dodgeram mustangs 123qaz sithlord smoker server incubus scoobydo oblivion molson kitkat titleist rescue zxcv1234 carpet bigballs tardis
jimbob xanadu blueeyes shaman mersedes pooper pussy69 golfing hearts mallard 12312312 kenwood patrick1 cowboys1 oracle 123zxc nuttertools
102938 topper 1122334455 shemale sleepy gremlin yourmom 123987 gateway1 printer monkeys peterpan kingston cooler analsex pa55word asterix
freckles birdman frank1 defiant aussie blondes tatyana 445566 aspirine mariners jackal deadhead katrin rootbeer frogger scooter1 noodles
thomas1 parola shaolin celine 11112222 plymouth creampie justdoit ohyeah fatass assfuck amazon 1234567q kisses magnus nopass 987456 6751520
harley1 putter champs massive spidey lightnin camelot letsgo gizmodo aezakmi caliente goodtime thankyou raiders1 brucelee redalert aquarius
456654 catherin smokin mypass astros roller porkchop sapphire qwert123 kevin1 a1s2d3f4 beckham atomic rusty1 vanilla qazwsxedcrfv hunter1
kaktus cxfcnmt blacky 753159 elvis1 aggies blackjac bangkok scream 123321q iforgot power1 kasper buster1 slappy shitty veritas chevrole
amber1 01012001 amsterdam jammer primus spectrum eduard granny horny1 sasha1 clancy usa123 diamond1 hitler avenger spankme 123456qwerty
smudge scrappy labrador john316 syracuse front242 falcons husker candyman commando pacman delta1 pancho krishna fatman clitoris pineappl
lesbians 8j4ye3uz barkley vulcan punkin celtics monopoly flyboy romashka hamburg 123456aa gangbang 223344 area51 spartans aaa111 tricky
snuggles homerun vectra homer1 hermes topcat cuddles infiniti 1234567890q cosworth phoenix1 killer1 ivanov bossman qawsedrf peugeot exigent
doberman durango brandon1 plumber telefon horndog laguna rbhbkk webmaster breeze porsche9 beefcake leopard redbull oscar1 topdog godsmack
theking omega1 speaker viktoria fuckers bowler starbuck gjkbyf valhalla anarchy blacks herbie kingpin starfish loveit achilles 906090 labtec
ncc1701a fitness jordan1 brando arsenal1 kicker napass desert sailboat bohica tractor hidden muppet jackson1 jimmy1 terminator phillies
pa55w0rd terror farside swingers legacy frontier butthole doughboy jrcfyf tuesday sabbath daniel1 nebraska homers qwertyuio azamat fallen
agent007 striker camels iguana looker pinkfloy moloko qwerty123456 dannyboy luckydog 789654 pistol whocares charmed skiing select franky
daniil vladik vfrcbvrf ihateyou nevada moneys vkontakte mandingo puppies 666777 mystic zidane kotenok dilligaf budman bunghole zvezda 123457
triton golfball technics trojans laptop rookie 01011991 15426378 aberdeen gustav jethro enterprise stripper filter hurrican rfnthbyf lespaul
gizmo1 132435 dthjybrf 1366613 excalibu 963852 nofear momoney possum cutter oilers moocow cupcake gbpltw batman1 splash svetik super1 soleil
bogdan melissa1 vipers babyboy tdutybq lancelot ccbill keystone passwort flamingo firefox dogman vortex noodle raven1 zaphod killme pokemon1
coolman danila designer skinny kamikaze deadman gopher doobie warhammer deeznuts freaks engage chevy1 steve1 apollo13 poncho hammers azsxdc
dracula 000007 bitch1 deskjet macdaddy mighty rangers1 manchest sterlin casey1 meatball mailman sinatra cthulhu summer1 bubbas cartoon
bicycle eatpussy truelove sentinel tolkien breast capone lickit summit 123456k peter1 daisy1 kitty1 123456789z crazy1 jamesbon texas1
sexygirl 362436 billyboy redhot microsof microlab daddy1 rockets iloveyo fernand gordon24 cutlass polska star69 titties pantyhos 01011985
thekid aikido gofish mayday 1234qwe anfield lansing scotch catman 73501505 hustler dfkthbz passwor1 jenny1 azsxdcfv cheers irish1 gabrie
tinman orioles charlton fortuna 01011970 airbus rustam xtreme bigmoney zxcasd retard grumpy huskies boxing 4runner kelly1 ultima warlord
fordf150 oranges rotten asdfjkl superstar denali sultan bikini saratoga figaro sixers wildfire vladislav 128500 sparta mayhem greenbay
chewie music1 number1 cancun mellon poiuytrewq cloud9 crunch bigtime chicken1 piccolo bigbird 321654987 billy1 01011981 maradona sandro
chester1 bizkit rjirfrgbde 789123 rightnow jasmine1 hyperion treasure meatloaf armani rovers jarhead 01011986 cruise coconut dragoon utopia
davids rfhbyf reebok charli giorgi sticks sayang pass1234 exodus anaconda zaqxsw illini woofwoof emily1 sandy1 packer poontang govols tomato
beaner cooter creamy lionking happy123 albatros poodle kenworth dinosaur greens happyday eeyore tsunami cabbage holyshit turkey50 memorex
chaser bogart orgasm tommy1 volley whisper knopka ericsson walleye 321123 pepper1 katie1 chickens tyler1 corrado twisted 100000 clemson
zxcasdqwe tootsie milana zenith fktrcfylhf shania frisco polniypizdec0211 crazybab junebug fugazi rereirf vfvekz sausage vfczyz koshka
clapton justin1 anhyeuem condom hardrock skywalker tundra gringo 150781 vitalik aspire stocks samsung1 applepie abc12345 gandalf1 pillow
sparkle gmoney rockhard lucky13 samiam everest hellyeah bigsexy skorpion rfrnec hedgehog australi candle slacker voyeur jazzman america1
bobby1 br0d3r wolfie vfksirf 1qa2ws3ed 13243546 fright yosemite karolina barsik cheetah baddog deniska starship bootie milena hithere
greatone 50cent 0.0.0.000 albion amanda1 midget maxell football1 cyclone freeporn nikola bonsai kenshin slider balloon roadkill killbill
222333 jerkoff 78945612 dinamo tekken rambler goliath cinnamon malaka backdoor fiesta packers1 rastaman fletch sojdlg123aljg stefano artemis
calico nyjets damnit robotech duchess rctybz hooter keywest 18436572 hal9000 mechanic pingpong operator presto rasputin bristol faggot
963852741 amsterda 321456 wibble carrera alibaba majestic ramses duster route66 trident clipper steeler wrestlin divine kipper gotohell
kingfish snake1 passwords buttman pompey viagra zxcvbnm1 332211 slutty lineage2 macross pooter brian1 qwert1 charles1 jokers yzerman swimmer
ne1469 nwo4life solnce seamus lolipop pupsik moose1 ivanova secret1 matador love69 420247 ktyjxrf subway cinder vermont pussie florian
magick guiness allsop ghetto flash1 a123456789 typhoon dfkthf depeche skydive dammit seeker fuckthis crysis kcj9wx5n umbrella r2d2c3po
123123q snoopdog critter theboss 162534 splinter cyclops jayhawk 456321 caramel qwer123 underdog caveman onlyme grapes feather hotshot
fuckher renault george1 sex123 pippen 000001 789987 floppy megapass pornos kickass great1 quattro 135246 wassup helloo p0015123 nicole1
chivas shannon1 bullseye fishes blackhaw jamesbond tunafish juggalo dkflbckfd 123789456 dallas1 translator 122333 beanie alucard gfhjkm123
supersta magicman ashley1 cohiba xbox360 caligula 12131415 facial 7753191 dfktynbyf cobra1 cigars klingon bob123 safari looser deepthroat
malina 200000 tazmania goalie jacob1 monaco cruiser misfit vh5150 tommyboy marino13 yousuck sharky vfhufhbnf horizon absolut brighton
123456r death1 kungfu forfun mamapapa enter1 budweise banker getmoney kostya qazwsx12 bigbear vector fallout nudist gunners royals chainsaw
scania trader blueboy walrus eastside kahuna qwerty1234 love123 01011989 cypress undertaker ybrjkfq europa snowboar sabres moneyman chrisbln
minime nipper groucho whitey viewsonic penthous wolf359 fabric flounder coolguy whitesox passme smegma skidoo thanatos fucku2 snapple dalejr
mondeo thesims mybaby panasoni sinbad thecat topher sneakers q123456 z1x2c3 chicago1 taylor1 ghjcnjnfr cat123 olivier titanium madison1
jabroni hambone intruder holly1 gargoyle sadie1 static poseidon studly newcastl sexxxx johannes danzig beastie musica buckshot sunnyday
adonis bluedog bonkers 2128506 chrono compute 01011988 turbo1 smelly wapbbs goldstar ferrari1 778899 quantum pisces boomboom gunnar test1234
florida1 superman1 multiplelo custom motherlode 1qwerty westwood usnavy apple123 daewoo stereo sasuke sunflowe watcher dharma 555777 mouse1
assholes babyblue 123qwerty marius walmart starfire tigger1 paintbal knickers aaliyah lokomotiv theend winston1 sapper erotica scanner
sexy69 doogie bayern joshua1 newbie scott1 losers droopy outkast martin1 dodge1 wasser ufkbyf rjycnfynby thirteen 12345z 112211 hotred
deejay hotpussy 192837 jessic philippe panther1 cubbies havefun magpie fghtkm avalanch newyork1 pudding leonid harry1 cbr600 audia4 bimmer
01011984 idontknow vfvfgfgf aleksey builder 01011987 zerocool godfather mylife donuts allmine redfish 777888 sascha nitram bounce 333666
smokes 1x2zkg8w rodman stunner zxasqw12 hoosier beretta insert 123456s rtyuehe francesc tights cheese1 micron quartz hockey1 gegcbr searay
jewels paintball celeron padres syncmaster simon1 beaches prissy diehard orange1 mittens aleksandra queens 02071986 biggles thongs southpark
twinkle gretzky rabota cambiami monalisa gollum chuckles spike1 gladiator whisky spongebob 03082006 mazafaka meathead ou8122 barefoot
12345678q cfitymrf bigass a1s2d3 kosmos blessing clevelan terrapin ginger1 johnboy maggot clarinet deeznutz 336699 stumpy stoney footbal
traveler bucket snapon pianoman hawkeyes futbol casanova goodboy honey1 sexyman warthog mustard abc1234 nickel 10203040 meowmeow boricua
prophet sauron 12qwas reefer andromeda crystal1 joker1 lovesex triangle whatsup mellow bengals monster1 01011910 lover1 123aaa sunshin
smeghead hokies welder cerberus bunny1 rockford 1q2w3e4r5 goldwing gabriell buzzard crjhgbjy james007 rainman groove tiberius purdue
nokia6300 hayabusa jagger zigzag poochie usarmy redwood redwing 12345679 salamander silver1 abcd123 sputnik boobie ripple eternal 12qw34er
thegreat allstar slinky gesperrt mishka whiskers pinhead overkill sweet1 rhfcjnrf montgom240 sersolution jamie1 starman swords nikolay
bacardi badgirl rebecca1 wildman penny1 spaceman logan1 hacked bulldog1 helmet windsor buffy1 runescape trapper 123451 banane dbrnjh ripken
12345qwe frisky fester lightning ib6ub9 cicero thedog 784512 01011992 megatron illusion edward1 napster squash roadking woohoo 19411945
hoosiers 01091989 tracker bagira midway leavemealone 14725836 235689 menace rachel1 stoned realmadrid 787898 balloons tinkerbell 5551212
maria1 pobeda heineken sonics moonlight optimus orchid 02071982 jaybird kashmir 12345678a chuang chunky mortgage rulezzz saleen chuckie
fishing1 gsxr750 doghouse reader buddah benfica salomon meister eraser blackbir bigmike starter pissing deluxe eagles1 hardcock 135792468
seahawks godfathe bookworm gregor talisman blackjack babyface hawaiian dogfood 01011975 sancho ludmila medusa mortimer 123456654321 roadrunn
just4me stalin 01011993 handyman alphabet pizzas calgary clouds password2 cgfhnfr cubswin max123 xxx123 digital1 gfhjkm1 7779311 missy1
michae beautifu gator1 pacers buddie chinook heckfy dutchess sally1 breasts beowulf darkman tiffany1 qazwsx1 satana idontkno smiths puddin
nasty1 teddybea valkyrie passwd boxster killers cheater inuyasha beast1 wareagle foryou dragonball mermaid bhbirf teddy1 dolphin1 misty1
delphi gromit sponge qazzaq fytxrf gameover beamer beemer kittykat rancid manowar adam12 diggler assword austin1 wishbone gonavy sparky1
fisting thedude sinister venera novell salsero jayden fuckoff1 linda1 vedder 02021987 1pussy redline jktymrf 02011985 dfcbkbq dragon12
chrome gamecube titten bella1 02081988 eureka bitchass 147369 banner lakota 123321a mustafa preacher hotbox 02041986 z1x2c3v4 playstation
01011977 claymore electra checkers armagedon 02051986 wrestle svoboda nimbus alenka madina newpass6 onetime aa123456 bartman 02091987
silverad electron 12345t devil666 oliver1 skylar rhtdtlrj gobucks johann 12011987 milkman 02101985 camper thunderb bigbutt jammin davide
cheeks goaway lighter claudi thumbs pissoff ghostrider cocaine squall hootie blackout doitnow subzero 02031986 marine1 02021988 pothead
123456qw antoni bcfields marika 794613 musashi tulips southpar 02061985 mandarin 654123 ninjas cannabis jetski xerxes zhuang kleopatra
dickie morgan1 dieter baseball1 tottenham yfnfkmz dirtbike 1234567890a jackson5 ipswich iamgod 02011987 tdutybz modena slippery qweasd123
bluefish samtron 111333 iscool 02091986 petrov 1357924680 mollydog 02021986 1236987 pheonix ghblehjr othello starcraf 000111 sanfran a11111
cameltoe badman vasilisa 1qaz2ws 12qw12 369963 cheech beatle pickup paloma 01011983 caravan elizaveta gawker banzai pussey mullet bingo1
bearcat flexible farscape borussia templar guitar1 toolman yfcntymrf chloe1 slave1 nuggets 02081984 mantis scorpio1 fyutkbyf thedoors
02081987 02061986 123qq123 fergie 7ugd5hip2j asdfzxcv sunflower pussyman deadpool bigtit 01011982 love12 lassie skyler gatorade carpedie
jockey mancity spectre 02021984 cameron1 artemka 02031984 iomega moritz spinner heater grease corleone ltybcrf cowboy1 hippie chimera
alex123 02021985 mickey1 corsair sonoma aaron1 xxxpass bacchus webmaste xyz123 chrysler spurs1 cosmic 01020304 deutsch gabriel1 123455
oceans 987456321 binladen latinas a12345678 speedo buttercu 02081989 21031988 merlot millwall dragonba stonecold 01011999 02011986 istanbul
babylove bullfrog porsche1 02061989 bobdylan capslock teddybear 02041984 chevrolet gfhjkmgfhjkm coolness barbados knockers amateurs jayhawks
9293709b13 eldorado soulmate andromed 50spanks 02021983 kakashka yeahbaby netscape rainbow6 carlitos eastwood microphone monkey12 coldbeer
fgtkmcby just4fun 1234567891 02021989 02041983 specialk piramida salasana mephisto violetta spencer1 02051983 smashing fastball q2w3e4r5
buddyboy shitface 02031987 kissmyass radiohea 1234asdf wildcard maxwell1 02011988 02081986 testpass pringles pinkfloyd insomnia 1a2s3d4f
playboy1 02041982 darklord 02041988 02041987 magician telephon vsjasnel12 iverson3 gamecock budapest yjdsqgfhjkm reckless 02011980 tiger123
01011979 maksimka kazantip 02101984 concorde qazwsxedc123 pharmacy abnormal jellybea islander jiggaman classics hooligan strawberry 02081985
scrabble hawaii50 wg8e3wjf 123456qwe mazda626 rhjrjlbk 02071984 killer12 sweetnes masamune mariposa doomsday excalibur buttfuck marcello
02021982 dynamite master12 lollypop michael2 moonbeam 12365478 inspiron 02061988 02031985 snowboard forsaken katarina fullmoon sausages
stanislav robotics green123 mobydick senators pumpkins windsurf reddevil vfitymrf nevermind woodland anastasiya 02081982 presiden yankees2
02051982 vanguard rjhjktdf firewall 02011984 temppass drummer1 02031982 fandango pumpkin1 02061980 pussy123 highheel christma qwerty11
02061987 icehouse zxcvbnm123 pineapple harrypotter earnhard 01081989 02091983 mypassword zaqxswcde misfit99 02101987 1z2x3c4v broncos1
platypus 05051987 02041985 password12 radiohead 12051988 spongebo qwert12345 abrakadabra dodgers1 02101989 vikings1 viktoriya 02071980
reddwarf longjohn 02071987 slamdunk alessandro warrior1 honolulu 134679852 johndeer windmill bergkamp 02091981 irishman zildjian 02041981
02061983 mudvayne freebird 02091980 02091984 snowflak 01011900 nygiants playstat webhompas jefferso comanche monkeybo 02051987 angel123
death666 hounddog josephin 02071988 02041979 thisisit 05051985 pallmall fishbone genesis1 clippers 02051988 02081977 22041987 bigblock
whiteout 02061984 fuckinside 02031981 123456789s iloveyou2 bluebell 08031986 undertak chipmunk mazdarx7 qwe123qwe kjrjvjnbd choochoo
lovelife 02051984 02051989 15051981 anastasi 26061987 roadster cbr900rr good123654 zachary1 02021979 testing1 highbury koroleva washingt
02061982 02091985 redbaron 11051987 james123 krasotka 10011986 pipeline 7894561230 nascar24 01031988 tkbpfdtnf smirnoff 21031987 starligh
summer99 13041988 fishhead 06061986 scoobydoo 02021981 yogibear konstantin terminat ghbywtccf slowhand soccer12 cricket1 fuckhead nostromo
survivor cnfybckfd lemonade rainbow1 cocksuck peaches1 johnson1 02041989 solitude catwoman bearcats username 01011978 wanderer 02101986
stephen1 paradigm 02011989 fantasia borabora 74108520 12021988 01061990 gtnhjdbx 02071981 01011960 sundevil mustang6 armstron 13041987
revolver 02021976 trouble1 jackass1 volkswag 30051985 pool6123 marines1 03041991 02031979 24061986 14061991 wildbill 45m2do5bs 21011989
cleopatr 11081989 coventry nirvana1 sidekick 20061988 02081983 gbhfvblf 22021989 zanzibar highlander 23041987 02011981 tinkerbe 01121986
bluesman asdfgh01 threesom 18011987 nautilus everlast 01071986 ghbdtn123 02071983 02021973 12qw12qw nokia6233 longdong ghjcnjgfhjkm penguin1
02091989 02071989 asdqwe123 07071987 tokiohotel sonyericsson pantera1 palmtree 14111986 andyod22 10031988 01041985 handball marseille
19101987 matthias viewsoni 13031987 evangelion 24011985 123456123 sandrine 02081980 28041987 sprinter private1 02101988 25081988 fearless
01091987 antelope 02021990 barselona buddy123 19061987 fyfnjkbq 12121990 10071987 zxcasdqwe123 fairlane honeybee soccer10 13061986 fantomas
17051988 10051987 20111986 gladiato 01011995 25800852 buffalo1 cheshire 28021992 10101986 tomahawk 03041986 bismillah bigpoppa 01121988
08121986 14021985 margarit success1 pasadena johngalt 02031980 coldplay 04041991 capricorn sweetness 10011990 09051945 elcamino trinitro
voyager1 02101983 carpente spartan1 12121985 22011988 callisto 02101981 vendetta david123 11061985 02031989 iloveyou1 yamahar1 wildwood
foxylady 02041980 27061988 leedsutd 30041986 11051990 dominion 01061986 enforcer derparol 01041988 29071983 f00tball 25031987 21031990
remingto 01011994 29051989 20031987 02051980 04041988 vjqgfhjkm 28011987 rfvfcenhf 16051989 25121987 16051987 08051990 20091991 carnival
05051989 papillon knuckles 29011985 28021990 cutiepie ghjuhfvvf 22021986 freefall 02011983 17061988 baritone mischief hetfield dontknow
sasha_007 18061990 12031985 12031987 calimero 15011987 alexandre 02031977 08081988 whiteboy 21051991 02071978 money123 18091985 02031988
cygnusx1 31011987 firefigh blowfish screamer 20051988 11121986 01031989 harddick sexylady 30031988 02041974 20091988 123456ru wp2003wp
15051990 kordell1 03031986 swinging 01011974 02071979 trucking marijuana 02051978 08031985 noname123 13121985 francisc 02011982 22071986
02101979 obsidian 02051985 dfktynby 02051976 15101986 21101986 lakeside 14021986 suckmydick strawber nokian73 25091987 16121987 02041975
17011987 slimshady whistler 10101990 22031984 15021985 01031985 blueball 26031988 chris123 13021990 cassandr 02051973 25041988 paramedi
eclipse1 07091990 darkangel 23021986 02051981 smackdow 01021990 argentin moonligh capricor 24111989 21051988 22041988 bigbooty johncena
p@ssw0rd cherries lalakers dogpound universa eggplant fussball 19283746 captain1 vincent1 taekwondo perfect1 capetown budweiser sylveste
02051972 cartman1 forever1 marseill magellan hallo123 liverpool1 southpaw 02041978 notebook pufunga7782 goodgirl 02031978 challeng millenium
sabrina1 camaross hotgirls 02051977 bubba123 goldfing moonshin sonyfuck mandrake 1234zxcv bubbles1 marcius2 navigator hellokitty fkbyjxrf
earthlink opendoor stanley1 07071977 02081976 lakewood bluejays commande gateway2 01011976 ironmaiden destiny1 espresso toriamos
ghhh47hj7649 therock1 p4ssw0rd shadow12 23skidoo roadrunner 12345qwer 02071975 bordeaux 135798642 supernov beatles1 optimist vanessa1
ilovegod nightwish natasha1 patches1 gsxr1000 hattrick enternow lenochka suckdick intercourse blue1234 02061977 02031975 waterboy mamacita
htubcnhfwbz azertyui limewire houston1 stratfor 12345qwerty stigmata klondike marijuan hardball nineinch power123 vauxhall awesome1 funstuff
krokodil rfntymrf cabernet sheepdog 02041977 natalie1 montana1 sammy123 baltimor mash4077 cashmone vancouve dragon69 ilikepie 02071976
123456789m hairball toonarmy pimpdadd q1234567 theforce scheisse maserati 02061976 sigmachi bigdicks 02101976 riccardo rfhnjirf dolemite
pathfind password9 vqsablpzla modelsne myxworld hellsing rocknrol 02041976 killer123 futurama p0o9i8u7 smoothie archange vagabond billabon
22061941 02031973 darkange skateboard evolutio morrowind plastics zaqwsxcde dominiqu nevermore 02021971 forgetit elisabet aolsucks woodstoc
02011975 scrapper minimoni q123456789 02091976 ncc74656 slimshad friendster austin31 dilbert1 blackbird jellybean 01011971 carebear fireblad
02051975 02101977 pornking flamengo 02091975 snowbird lonesome baracuda 12345abc singapor herewego 123456789d kamasutra vipergts navyseal
masterbate peterbil cucumber 123qwert summer69 02091977 starwars1 sasha123 homemade bradley1 warhamme pinnacle flipflop lfitymrf acidburn
fellatio jeepster sexybitch vfntvfnbrf trinity1 cartoons rainyday alleycat 12345qaz mustang2 apollo11 escalade rainbows daisydog cocksucker
fyutkjxtr whiplash adrenalin ambrosia 5wr2i7h8 penetration stickman puppydog charisma nightmar 01011973 laetitia 02091973 0192837465
luckyone 14881488 goldeney 69camaro dragonfl 02081974 02071971 melanie1 phialpha 10293847 bismarck 7777777a 12348765 bynthytn alexander1
mallorca dragster favorite6 beethove normandy 1michael 02091971 nounours trumpet1 thumper1 playball rocknroll guillaum buttercup cambridg
treefrog sexybabe pavement smackdown cannibal asdffdsa nthvbyfnjh 369258147 benessere skipper1 azertyuiop 123456789qwe computer1 sephiroth
hallowee sparkles 1qazxsw23edc amethyst volleyba bettyboo ticklish 02061974 02061972 mynameis jupiter1 junkmail sunshine1 longhair 02101973
gannibal skinhead segblue2 montecar jesus123 charlie2 candyass special1 02041973 letsdoit password01 allison1 abcdefg1 notredam 789654123
liberty1 alcatraz frankie1 1qazzaq1 virginie dfcbkbcf blacklab montrose supernova frederik ilovepussy justice1 playboy2 motocros lockdown
istheman pinetree 1234rewq rustydog tampabay babycake vampire1 streaming fidelity capitals dreamcas riffraff playmate zxcvb123 fuckme69
pizzaman 1234567899 delpiero 1million wonderboy 02081973 sergbest 02051970 02031974 44332211 cashmoney left4dead 01011972 66613666 england1
123456as 123456qqq 02041972 1234509876 sunlight 02061971 password99 popcorn1 lol12345 bigtruck revoluti feelgood gogators papamama trooper1
tigercat usmarine lebowski madagaskar loverman dragonballz italiano naughty1 asdfg123 fisherman weare138 alpha123 piercing abracadabra
macintos 02011971 crescent eatmenow 18121812 kicksass rfhfvtkmrf paladin1 lunchbox riversid acapulco rhfcfdbwf mercury1 ronaldinho
masterbating tennesse matchbox parlament goodyear 02081970 hardwood erection highlife implants bendover supersonic babybear laserjet
natedogg sopranos cashflow ghjcnbnenrf ireland1 alterego claudia1 cantona7 ljxtymrf princesa blueberr bobmarley demon666 trinitron flyers88
nokia5800 qwerasdfzxcv mallrats goldeneye tamerlan backbone huskers1 1qw23er4 nineball stewart1 ballsack flipper1 dortmund homepage coolhand
greedisgood wonderfu barefeet 1111qqqq kcchiefs qweasdzxc123 jennifer1 asdasd123 cheerleaers mustang5 hillbill macaroni gigabyte buster12
cyclones jurassic thebeast metallica1 nemrac58 love1234 02031970 flvbybcnhfnjh feathers soccer11 marauder redheads godbless aaaa1111
greywolf pimpdaddy 123456789r reloaded rfhfylfi 22446688 culinary 1234567aa phantom1 baberuth asdfqwer abc123456 outsider blackhawk bigblack
valeriya gianluca 1q2q3q4q lavalamp pertinant nokia123 redlight kristin1 poophead monterey waterfal minnesot bukowski riverrat daredevi
arizona1 kamikadze alex1234 55bgates bellagio stiletto biohazard as123456 darthvad lilwayne nopassword 123456789987654321 14785236 nightowl
beckham7 trueblue nevermin deathnote copenhag gallaries dtkjcbgtl fishtank rosewood blackberry 1020304050 deerhunt surveyor pitchers
741258963 dipstick 112233445566 jupiter2 softtail greenman z1x2c3v4b5 smartass 12345677 chewbacc nosferatu downhill dallas22 powerman
qweasdzx princess1 mastermind care1839 atreides monkeyboy nicetits sealteam chopper1 winter99 myspace1 topolino 01011950 happyman stonewal
manunited qwerty13 buddydog start123 civilwar deadspin lucky123 tortoise waterski dtxyjcnm interacial nightwin passmast eldiablo 1357908642
screwyou badabing foreplay seductive happines gizmodo1 pizzahut kikimora a1a2a3a4 2wsx3edc sprocket wdtnjxtr bisexual makeitso 789632145
nothing1 fishcake libertad fivestar mississi 123456789v kenneth1 bluestar ntktdbpjh paperino dragonfly suckcock lapochka mike1234 q1q2q3q4q5
maxpower raymond1 crazyman finalfantasy kissmyas magic123 alessand ghbdtnrfrltkf augustin 99762000 nathanie 1z2x3c4v5b gangbanged lovehate
hondacbr mamochka fisherma bismilla spiderman1 123456987 20spanks kristen1 bigdick1 friday13 qaz123wsx 0987654321q yaroslav websol76
hugoboss websolutions sephirot 918273645 timoxa94 mazda323 sokolova skydiver jesus777 1234567890z guillerm india123 stoppedby nokia5530
123456789o whoknows godspeed foreskin slapnuts rosebud1 sandman1 honeybun topsecret letsfuck pippen33 qw123456 lighthou nancy123 jeffrey1
losangeles leonidas a1b2c3d4e5 general1 bigbucks tickling 987654321a christophe petrovich dirtydog allstate wachtwoord creepers georgia1
fujifilm daredevil lionheart catfight vodafone 01011961 valleywa chickenwing101 qq123456 livewire livelife roosters ilya1234 architec
blackops 1qaz2wsx3edc4rfv smirnova dragon01 a1s2d3f4g5 maurizio zxcvasdf graywolf 3rjs1la7qe macgyver hugetits flathead goofball anthony7
jessica2 123581321 sarajevo rfgbnjirf joystick batman12 victory1 saxophon lionhear hillside starlight 24681012 access99 molly123 blackice
quant4307s squerting flashman tangerin housewifes monkey69 escorpio password11 warcraft3 qazxsw123 ghbdtndctv lincoln1 firestorm ludacris
milamber evangeli letmesee hooters1 0o9i8u7y sooners1 glendale scorpions groupd2013 freewill silverado vflfufcrfh cornhole aerosmit bionicle
gfgfvfvf daniel12 favorite2 detroit1 shredder wednesda sparhawk firehawk 911turbo funtimes 159753456 timothy1 bajingan frenchie 1mustang
babemagnet 74123698 truffles douglas1 lamborghini motocross skeeter1 angel666 carpediem scirocco fuzzball rushmore lacrimosa chevys10
madonna1 domenico atlanta1 service1 devilman euphoria checkmat browndog horsemen jediknig allnight starlite close-up wrinkles snapshot
dima1995 thetruth priyanka dutchman passcode justinbieber 12349876 12345687 pennywis zaq12345 assmunch wellingt madala11 bettyboop gregory1
hawthorn bernhard dominika hunter12 vfhbyjxrf lockerroom 1password futyn007 daydream 11001001 dragon123 friends1 rocky123 asslover mannheim
manager1 horseman komputer pictuers nokia5130 ejaculation nastenka toulouse smoke420 fullback dreamcast casablanca salvator pussylover
963258741 vivitron cobra427 armageddon myfriend qwedsazxc illmatic capoeira freedom2 shinigami fhvfutljy nocturne churchil thumbnils
tailgate neworder sexymama michelle1 earthlin basketbal aligator mojojojo welcome2 papabear sfgiants billabong monolith ticktock japanees
contortionist admin123 alabama1 fantasy1 woodstock fireman1 embalmer woodwork newstart panorama daedalus fruitbat violator 12345123
knickerless undertow kfcnjxrf masturbation transexual stinger1 landrove anakonda rfhlbyfk fordtruc archangel greentea morticia evanescence
3edc4rfv longshot windows1 starbucks prelude1 homebrew letmeinn fordf350 michele1 27731828 wingzero qawsedrftg alfarome fantasti 1a2s3d4f5g
natascha kennwort q1q2q3q4 qazwsxedc1 diamante pornographic comicbookdb motdepasse braveheart kickflip arcangel superbow porsche911 dagobert
barbara1 vfpfafrf babemagn sublime1 buckwhea pussy4me redstorm paramore imtheman milkyway bigpenis newproject2004 rammstei j3qq4h7h2v
lambchop anthony2 gfhjkm12 dreamer1 cybersex cowboyup maximus1 manhatta 1213141516 yfnfitymrf 123456789p trousers fishface motherfu ibilltes
maximilian mypasswo marajade morozova enter123 12345asd princeto hellohel ursitesux 1234kekc duracell sevenof9 corvet07 rdfhnbhf tiberian
needforspeed dropkick kevin123 a123456a vfhnsirf sk8ordie fireblade marishka gorillaz revival47 ironman1 ramstein doorknob devilmaycry
nemesis1 pennstat shevchenko detectiv evildead blessed1 bullwink asmodeus rapunzel deepthro maxpayne montecarlo hernande 123456789l bravehea
12locked pegasus1 saltydog everques ytngfhjkz businessbabe 123456ab qwerty78 fuckmehard shotokan seahorse everton1 bulldawg monkeyman
losangel mastermi zxcvb12345 geibcnbr ladybird rktjgfnhf ghjdthrf impalass optiplex santacru ignatius master123 newpass1 heather2 snoopdogg
blondinka honeydew fuckthat 890098890 goldrush avalanche snowman1 1a2b3c4d5e nokia5230 12340987 dragrace 22334455 12345612 123456qq capital1
sammydog hulkster 13245768 omegared l58jkdjp! 123mudar samadams charlie123 123456789123 sunderla 123qweas kazanova monkey123 fktyeirf
bluenose asd12345 waffenss 1a2a3a4a trailers beachbum bubblegum mackenzi hershey1 bugsbunn newport1 hornyman thething solnishko buckeye1
ethernet uncencored rb26dett choppers anna2614 callofduty rt6ytere timelord allblack tequiero snowflake dickweed firestar fred1234 ghjnjnbg
milhouse masterbaiting 123698741 invictus yourmama pontiac1 verygood adventur austin316 hogwarts navigato desperado eightbal 74227422
aerosmith wingchun sanity72 partizan utahjazz submarin pussyeat heinlein control1 costaric triplets teacher1 evergree qwerty99 pyramid1
lebron23 blackbelt housewife cynthia1 temptress russell1 frank123 songbird 43046721 girfriend jakester falstaff patrizia qwaszx12 goodlife
shitfuck 12345678900 russian7 gobigred deborah1 volkswagen alkaline muffdive 1letmein cannonda cvbhyjdf germany1 raindrop elvis123 citibank
fakepass birthday4 nonmembe parsifal rickster coolgirl motorcyc tenerife fordf250 iloveporn hotbabes fynjybyf wapapapa tecumseh 0000000000o
blackcock antigone novikova peregrin spartan117 tooltime bonethug tonyhawk laracroft mahalkita 18273645 terriers littlema glennwei
12345654321 fuckshit hornyguy southside antonio1 bobmarle ilikesex astonvil account1 maurolarastefy barracud pathfinder asdfg12345 rerfhtre
gotyoass grandpri colossus homer123 watermelon shadow01 lasttime pyramids galeries bigpussy astalavista unicorn1 killzone qaz12345 zxcvvcxz
duckhunt sexsexse fuckyeah bigbutts element1 marketin elbereth blaster1 yamahar6 lindsay1 seattle1 lagwagon misiaczek smokedog lakers24
ironhors volkodav penetrating summertime takamine hardwork macintosh passthie flowers1 music123 phaedrus gulliver domainlock2005 express1
youandme dhjnvytyjub testibil 987654321q pokemon123 thesaint 11122233 x72jhhu3z theclash guesswho gymnastic cxfcnkbdfz lemmings r4e3w2q1
schnuffi basebal1 goodfell hermione peaceout davidoff yesterda headless catdaddy yorktown tryagain 12s3t4p55 momsanaladventure mustang9
dangerou packard1 excellen jbond007 alligator wellhung monkeyma vaseline 123456asd cbr600rr doggydog jason123 flipmode sonyvaio sixtynin
luscious envision 147896321 369852147 loglatin payton34 123456789k chipper1 uhbujhbq rsalinas vfylfhby longhorns everquest !qaz2wsx blackass
snakeman p455w0rd mysecret phoenix2 october1 panties1 blackcoc blackboy meandyou lancaste polaroid edinburg fuckedup golfclub bookcase
worldcup dkflbvbhjdbx 17171717aa letsplay zolushka 67camaro barracuda romanova algernon amoremio william2 hd764nw5d7e1vb1 deutschland
robinhood machoman pandora1 tomservo nadezhda saab9000 f15eagle 12qwerty greatsex baywatch doggystyle january1 78963214 zz8807zpl 69213124
sidewind soccer13 onepiece bruno123 mustang8 blackbel hatteras asdfjkl; camelot1 rebbyt34 vegas123 aleksander ijrjkflrf lotus123 freiheit
drjynfrnt waterpolo cezer121 blondie1 happydog satellit qazwsxedcrfvtgb facefuck deathrow patterso hawkeye1 5tgb6yhn crocodil splatter
buratino dragon11 123qwe456 trucker1 ganjaman 1hxboqg2 cheyanne sebastie maddison 4rfv3edc darthvader lifeisgood gooseman insertions
123masha boogaloo stamford pimpster grapeape winchest francis1 1basebal emmitt22 bignasty 123hfjdk147 caseydog peternorth amarillo monkey11
a1a2a3a4a5 sweetass babushka vfnbkmlf gotigers lindsey1 dragon13 qazxsw12 dropdead hitman47 eleven11 bloopers avangard ginscoot masterkey
rootedit hannover 8phrowz622 angelito badkarma glenwood footlove summer12 fastcars pantyhose arabella c3por2d2 dillweed geraldin loveyou2
5hsu75kpot alexandru teamwork deepblue goodison r2d2c3p0 topsecre mandolin brother1 failsafe open1234 priscill trojans1 calamity ufhvjybz
hawkwind luv2epus aquafina pepsi123 passwerd 01478520 headshot password3 gbgbcmrf pornpass insertion nyyankee nbuhtyjr fabienne chrissy1
loveme89 boris123 novifarm qwerty777 giveitup 123456abc assassins swallows moonshine hotchick princessa holiday1 miranda1 jamaica1
badnaamhere 085tzzqi universi nevermor qwerty77 0102030405 seraphim black123 ducati99 dkflbvbhjdyf 44magnum samantha1 ultraman redneck1
usmc0311 monique1 alphaman greyhoun`.split(/\s/),
);
