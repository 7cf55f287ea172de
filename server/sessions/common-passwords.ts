/**
 * What guessing begins with, of the length that is asked for: from the published lists of passwords that were stolen
 * most often, in small letters. Shorter ones are refused for their length.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  `1234567890ab 123456789abc 123123123123 112233445566 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1qaz2wsx3edc 1qaz2wsx3edc4rfv
  1qazxsw23edc a1b2c3d4e5f6 abc123abc123 abcd12345678 abcdef123456 abcdefg12345 aa1234567890 administrator
  asdfasdfasdf asdfghjkl123 asdfghjkl;' basketball12 bismillah123 blink182blink barcelona123 changeme1234
  changemenow! chocolate123 christopher1 computer1234 correcthorsebatterystaple
  daniel123456 defaultpassword developer123 donottellanyone dragonballz1 elizabeth123 everything123 facebook1234
  fernando1234 football1234 forgotpassword g_czechout19 hello1234567 helloworld123 iamawesome123 iloveyou1234
  iloveyou12345 iloveyousomuch iloveyouforever internet1234 jesuschrist1 jesusislord1 jonathan1234 justinbieber
  justinbieber1 leavemealone letmeinplease liverpool123 lovelovelove magandaako12 manchesterunited michaeljackson
  minecraft123 mypassword12 mypassword123 myspace12345 nevergiveup1 nothing12345 opensesame12 p4ssw0rd1234
  p@ssw0rd1234 p@ssword1234 pa$$w0rd1234 pa55word1234 passw0rd1234 passw0rd12345 passwordpassword password1234
  passwort1234 playstation3 playstation4 princess1234 q1w2e3r4t5y6 q1w2e3r4t5y6u7i8 qazwsxedc123 qazwsxedcrfv
  qwaszx123456 qwer1234qwer qwertyqwerty qwerty123456 qwerty1234567 qwerty12345678 qwertyui1234 qwertyuiop12
  qwertyuiop123 qwertyuiop[] rockandroll1 samantha1234 secret123456 secretpassword september123 shadow123456
  snowboarding spongebob123 startrek1234 starwars1234 superman1234 supersecret1 temporary123 test12345678
  testtesttest thepassword1 tinkerbell12 trustno1trustno1 unbelievable unforgettable victoria1234 volleyball12
  welcome12345 whatever1234 winniethepooh youaremyhero zaq12wsxcde3 zxcvbnm12345 zxcvbnmasdfghjkl`.split(
    /\s+/,
  ),
);

/** Words that passwords are made of most often. With nothing but digits and signs around it, one is soon guessed. */
export const commonWords: ReadonlySet<string> = new Set(
  `aaron abcdef access account adam adidas admin administrator adrian albert alejandro alex alexander alexandra
  alexis alfred alice alicia allison amanda amber america amsterdam andrea andrew angel angela angelina
  animal anthony apple apples april archie arsenal arthur ashley august austin australia autumn baby
  babygirl bailey banana barcelona barney baseball basketball batman beach beautiful benjamin berlin
  birthday blackberry blessed blink booboo boomer brandon brandy brazil brittany broncos brooklyn bubbles
  buddy bulldog butterfly california cameron canada captain carlos carolina caroline casper catherine celtic
  champion changeme charlie cheese chelsea cherry chester chicago chicken chocolate chris christian
  christina christine christmas christopher claudia cocacola college computer connor cookie cooper corvette
  cowboy cowboys crystal dakota dallas daniel daniela danielle darkness david december default diablo
  diamond disney doctor dolphin donald dragon dragonball dreams eagles edward einstein elephant elizabeth
  eminem england enter esther eternity everton facebook family fatima february fender fernando ferrari
  fishing florida flower flowers football forest forever france francis frankie freedom friday friend
  friends garfield george germany giants ginger gloria golden golfer google gordon gothic grace green guest
  guitar gunner hammer hannah happy harley harry heather heaven hello helpme hockey honda honey horses
  hotmail house hunter iceman iloveyou india internet isabel isabella italia jackson jaguar jamaica january
  jasmine jason jeffrey jennifer jeremy jessica jessie jesus johnny johnson jonathan jordan joseph joshua
  july june justin katherine kathleen kevin killer king kitten kitty knight lakers laura lauren lectern
  leonardo letmein lincoln linkinpark liverpool login london lorenzo louise love lovely lucky madison maggie
  marcus margaret maria marina mario marlboro marley martin master matrix matthew maverick melissa mercedes
  merlin metallica mexico michael michelle mickey midnight miller minecraft monday money monica monkey
  monster montana morgan mother motorola mountain music mustang mypassword naruto natalie natasha
  newpassword newyork nicholas nicole nintendo nirvana november october oliver olivia orange packers pamela
  panther paris passphrase passw password passwort patrick peaches peanut pepper peter phoenix please
  pokemon police porsche power precious prince princess purple qazwsx qazwsxedc qwer qwert qwerty qwertyuiop
  rachel raiders rainbow ranger rebecca redsox richard robert rocket ronaldo rosebud samantha samsung samuel
  sandra saturday scooby scooter scorpion scotland sebastian secret september sergey service shadow shannon
  sharon shelby sierra silver simpsons slayer slipknot smokey snickers snoopy soccer sophie spain spanky
  sparky spencer spiderman spongebob spring stalker starwars steelers stella stephanie steven stupid summer
  summertime sunday sunflower sunshine superman superstar supervisor support suzuki sweet sweetheart sydney
  tatiana taylor teacher temporary tennis teresa test texas thomas thunder thursday tiffany tiger tigers
  tigger tinkerbell toyota travis trustno tuesday turtle tweety twilight united user valentina vampire
  vanessa veronica victor victoria victory viking vincent vladimir volleyball walter warcraft warrior
  wednesday welcome whatever william williams windows winner winston winter wizard wolverine xavier yamaha
  yankees yellow yesterday zachary zxcvbnm`.split(/\s+/),
);
